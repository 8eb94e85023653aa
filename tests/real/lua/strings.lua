-- Patterns, formatting, packing, conversions, UTF-8, long and binary strings.
assert(("x"):rep(100000):len() == 100000 and ("ab"):rep(3, ",") == "ab,ab,ab")
assert(("hello world"):find("o w") == 5 and ("hello"):find("l", 1, true) == 3)
assert(("key = value"):match("^(%w+)%s*=%s*(%w+)$") == "key")
assert(("THE (quick) fox"):find("%((%a+)%)") == 5 and ("f(a(b)c)d"):match("%b()") == "(a(b)c)")
assert(("THE END"):gsub("%f[%a]%a+", string.lower) == "the end")
assert(("abc"):gsub("", "-") == "-a-b-c-" and ("abc"):gsub("%w", "%0%0") == "aabbcc")
assert(("$name is $age"):gsub("%$(%w+)", { name = "Ada", age = 36 }) == "Ada is 36")
assert(not pcall(string.find, "x", "(") and not pcall(string.find, "x", "[a"))
assert(not pcall(string.rep, "x", 1 << 60) and not pcall(string.match, ("a"):rep(300000), ("a?"):rep(300000) .. "b"))

assert(string.format("%5d|%-5s|%05.1f|%x|%q|%s", 42, "ab", 3.14159, 255, "a\n\0b", { } ~= nil) ~= nil)
assert(string.format("%q", 1 / 3) == "0x1.5555555555555p-2" and string.format("%g", 1e100) == "1e+100")
assert(string.format("%.99f", 1 / 3):len() == 101 and not pcall(string.format, "%d", 1.5))
assert(("%c%c"):format(0, 255):byte(1, -1) == 0)

local packed = string.pack("<i1 >i2 =i4 !8 d z s1 x", -1, 300, 70000, 2.5, "zero", "counted")
local a, b, c, d, e, f = string.unpack("<i1 >i2 =i4 !8 d z s1 x", packed)
assert(a == -1 and b == 300 and c == 70000 and d == 2.5 and e == "zero" and f == "counted")
for size = 1, 16 do
  local text = string.pack("<i" .. size, -2)
  assert(#text == size and string.unpack("<i" .. size, text) == -2)
end
assert(not pcall(string.unpack, "i4", "abc") and string.packsize("i4i8") >= 12)

assert(tonumber("0x1p4") == 16 and tonumber("  12  ") == 12 and tonumber("1e") == nil and tonumber("zz", 36) == 1295)
assert(tostring(1e15) == "1e+15" and tostring(-0.0) == "-0.0" and 10 .. "" == "10" and "0x10" + 0 == 16)
assert(math.tointeger("8") == nil or math.tointeger("8") == 8)

local text = utf8.char(72, 228, 8364, 66376)
assert(utf8.len(text) == 4 and #text == 10 and utf8.codepoint(text, utf8.offset(text, 3)) == 8364)
local codes = 0
for _, code in utf8.codes(text) do codes = codes + code end
assert(codes == 72 + 228 + 8364 + 66376 and utf8.len("\xff") == nil)

local parts = {}
for i = 0, 255 do parts[#parts + 1] = string.char(i) end
local bytes = table.concat(parts)
assert(#bytes == 256 and bytes:reverse():reverse() == bytes and bytes:upper():lower():len() == 256)
local rope = ""
for i = 1, 3000 do rope = rope .. i .. "," end
assert(#rope == 13893 and select(2, rope:gsub(",", ",")) == 3000)
for i = 1, 60 do assert(("k"):rep(i) == ("k"):rep(i)) end  -- short and long strings
assert(os.date("!%Y-%m-%d %H:%M:%S", 86400 * 365) == "1971-01-01 00:00:00")
assert(os.time { year = 2000, month = 1, day = 1, hour = 12 } > 0 and not pcall(os.date, "%Ez", 0))
print("strings", #packed, codes)
