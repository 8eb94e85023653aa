-- Growing, shrinking, borders, sorting, moving, weak tables, iteration while erasing.
local t = {}
for i = 1, 20000 do t[i] = i end
for i = 20000, 10001, -1 do t[i] = nil end
assert(#t == 10000)
for i = 1, 5000 do t["key" .. i] = i end
for key, value in pairs(t) do if type(key) == "string" then t[key] = nil end end
local left = 0
for _ in pairs(t) do left = left + 1 end
assert(left == 10000)

local list = {}
for i = 1, 2000 do table.insert(list, 1 + (i * 7919) % (#list + 1), i) end
assert(#list == 2000)
local removed = 0
while #list > 0 do removed = removed + table.remove(list, 1 + (removed % #list)) end
assert(removed == 2001000)

local seed = 1
local function random() seed = (seed * 16807) % 2147483647 return seed end
for _, size in ipairs { 0, 1, 2, 3, 100, 5000 } do
  local items = {}
  for i = 1, size do items[i] = random() % 1000 end
  table.sort(items)
  for i = 2, size do assert(items[i - 1] <= items[i]) end
  table.sort(items, function(a, b) return a > b end)
  for i = 2, size do assert(items[i - 1] >= items[i]) end
end
assert(not pcall(table.sort, { 1, 2, "x" }))
pcall(table.sort, { 5, 3, 9, 1, 7, 2, 8, 4, 6, 0 }, function() return true end)

local moved = table.move({ 1, 2, 3, 4, 5 }, 2, 5, 1)
assert(moved[1] == 2 and moved[4] == 5 and select("#", table.unpack(moved, 1, 100)) == 100)
assert(table.concat({ 1, 2.5, "x" }, "-", 1, 3) == "1-2.5-x")

local weak, strong = setmetatable({}, { __mode = "kv" }), {}
for i = 1, 1000 do
  local key = { i }
  weak[key] = { i }
  if i % 10 == 0 then strong[#strong + 1] = key; strong[#strong + 1] = weak[key] end
end
collectgarbage()
local alive = 0
for _ in pairs(weak) do alive = alive + 1 end
assert(alive == 100)
local ephemeron = setmetatable({}, { __mode = "k" })
do local key = {} ephemeron[key] = { key } end
collectgarbage()
assert(next(ephemeron) == nil)

local mixed = {}
for i = -500, 500 do mixed[i] = i; mixed[i + 0.5] = i end
local sum = 0
for _, value in pairs(mixed) do sum = sum + value end
assert(sum == 0 and mixed[-0.0] == 0)
assert(not pcall(function() mixed[0 / 0] = 1 end) and not pcall(next, {}, "no such key"))
print("tables", left, removed)
