-- Closures, varargs, goto, integer and float arithmetic, metamethods, to-be-closed variables.
local function collect(...) return select("#", ...), { ... } end
local count, list = collect(nil, 1, nil)
assert(count == 3 and list[2] == 1)

local function counter()
  local n = 0
  return function() n = n + 1; return n end, function() return n end
end
local up, now = counter()
for _ = 1, 10 do up() end
assert(now() == 10)

local found = {}
for i = 1, 5 do
  for j = 1, 5 do
    if (i + j) % 3 == 0 then goto continue end
    found[#found + 1] = i * 10 + j
    ::continue::
  end
end
assert(#found == 16)

assert(7 // 2 == 3 and -7 // 2 == -4 and 7 % -3 == -2 and 2 ^ 10 == 1024.0)
assert(math.maxinteger + 1 == math.mininteger and 1 << 63 == math.mininteger and ~0 == -1)
assert(math.type(3 // 1) == "integer" and math.type(3 / 1) == "float" and 3 | 0 == 3)
assert(not pcall(function() return 1 // 0 end) and 1.0 // 0 == math.huge)

local Vector = {}
Vector.__index = Vector
function Vector.new(...) return setmetatable({ ... }, Vector) end
function Vector.__add(a, b)
  local sum = Vector.new()
  for i = 1, math.max(#a, #b) do sum[i] = (a[i] or 0) + (b[i] or 0) end
  return sum
end
function Vector.__eq(a, b)
  if #a ~= #b then return false end
  for i = 1, #a do if a[i] ~= b[i] then return false end end
  return true
end
function Vector.__lt(a, b) return #a < #b end
function Vector.__le(a, b) return #a <= #b end
function Vector.__concat(a, b) return tostring(a) .. "|" .. tostring(b) end
function Vector.__tostring(a) return "(" .. table.concat(a, ",") .. ")" end
function Vector.__call(a, i) return a[i] end
function Vector.__len(a) return rawlen(a) end
function Vector.__unm(a) local r = Vector.new() for i = 1, #a do r[i] = -a[i] end return r end
local v, w = Vector.new(1, 2, 3), Vector.new(4, 5)
assert(v + w == Vector.new(5, 7, 3) and w < v and v >= w and (-w)(2) == -5)
assert(v .. w == "(1,2,3)|(4,5)" and v .. 1 == "(1,2,3)|1")

local proxy = setmetatable({}, {
  __index = function(t, key) return key .. "!" end,
  __newindex = function(t, key, value) rawset(t, key, value * 2) end,
  __pairs = function(t) return function(_, k) if not k then return 1, "one" end end, t, nil end,
})
proxy.a = 21
assert(proxy.a == 42 and proxy.b == "b!")
for key, value in pairs(proxy) do assert(key == 1 and value == "one") end

local order = {}
do
  local function closing(name) return setmetatable({}, { __close = function(_, e) order[#order + 1] = name end }) end
  local a <close> = closing("a")
  local b <close> = closing("b")
  pcall(function()
    local c <close> = closing("c")
    error("out")
  end)
end
assert(table.concat(order) == "cba")

local ok, message = xpcall(function() local t = nil; return t.field end, debug.traceback)
assert(not ok and message:find("attempt to index a nil value") and message:find("language.lua"))
ok, message = pcall(error, { code = 7 })
assert(not ok and message.code == 7)
ok, message = pcall(string.rep, "x", -1)
assert(ok and message == "")

local function deep(n) if n == 0 then return 0 end return 1 + deep(n - 1) end
assert(deep(15000) == 15000)
assert(not pcall(function() local function f() return 1 + f() end return f() end))
local function tail(n) if n == 0 then return "done" end return tail(n - 1) end
assert(tail(1000000) == "done")

local chunk = load("local a, b = ... ; return a + b, _ENV", "chunk", "t", { x = 1 })
local sum, environment = chunk(20, 22)
assert(sum == 42 and environment.x == 1)
local dumped = string.dump(function(x) return x * 2, "constant", 3.5 end)
assert(load(dumped, "dumped", "b")(21) == 42)
assert(not load("x = = 1") and not load("for"))

local text = ""
for line in io.lines(arg[0]) do text = text .. line .. "\n" end
assert(load(text))
print("language", #found, sum)
