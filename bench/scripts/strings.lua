-- String-heavy: building, matching, substituting, packing, sorting of texts.
local rounds = tonumber(arg[1])

local words = {}
local seed = 12345
for i = 1, 400 do
  local letters = {}
  for j = 1, 3 + i % 9 do
    seed = (seed * 1103515245 + 12345) % 2147483648
    letters[j] = string.char(97 + (seed // 65536) % 26)
  end
  words[i] = table.concat(letters)
end

local function paragraph(count)
  local out = {}
  for i = 1, count do
    seed = (seed * 1103515245 + 12345) % 2147483648
    out[i] = words[1 + (seed // 65536) % #words]
  end
  return table.concat(out, " ")
end

local function frequencies(text)
  local count = {}
  for word in text:gmatch("%a+") do count[word] = (count[word] or 0) + 1 end
  local names = {}
  for name in pairs(count) do names[#names + 1] = name end
  table.sort(names, function(a, b)
    if count[a] ~= count[b] then return count[a] > count[b] end
    return a < b
  end)
  return names[1], count[names[1]]
end

local check = 0
for round = 1, rounds do
  local text = paragraph(9000)
  local top, times = frequencies(text)
  local upper = text:gsub("%f[%a](%a)(%a*)", function(a, b) return a:upper() .. b end)
  local vowels = select(2, upper:gsub("[aeiou]", "%0"))
  local packed = {}
  for i = 1, 2000 do packed[i] = string.pack("<I4s2", i, words[1 + i % #words]) end
  local joined = table.concat(packed)
  local position, number, word = 1, 0, ""
  while position <= #joined do
    number, word, position = string.unpack("<I4s2", joined, position)
    check = (check + number * #word) % 1000000007
  end
  local reversed = text:reverse():sub(1, 2000):rep(3, "|")
  check = (check + vowels + times + #top + #reversed + (reversed:find("z", 1, true) or 0)) % 1000000007
  check = (check + #string.format("%-20s|%5.2f|%q", top, times / 3, word)) % 1000000007
end
print("strings", check)
