-- Generators, producers and consumers, yields across pcall, metamethods and sort, closing.
local function generate(n) return coroutine.wrap(function() for i = 1, n do coroutine.yield(i, i * i) end end) end
local total = 0
for i, square in generate(2000) do total = total + square - i end
assert(total == 2666666000)

local function permutations(list, n)
  n = n or #list
  if n <= 1 then coroutine.yield(list) return end
  for i = 1, n do
    list[n], list[i] = list[i], list[n]
    permutations(list, n - 1)
    list[n], list[i] = list[i], list[n]
  end
end
local seen = 0
for list in coroutine.wrap(function() permutations({ 1, 2, 3, 4, 5, 6 }) end) do seen = seen + list[1] end
assert(seen == 720 * 3.5)

local co = coroutine.create(function(...)
  local got = { ... }
  local ok, value = pcall(function()
    got[#got + 1] = coroutine.yield("first")
    error("inside")
  end)
  got[#got + 1] = value
  local sum = setmetatable({}, { __add = function(a, b) return coroutine.yield("adding") + b end }) + 1
  return #got, sum
end)
assert(select(2, coroutine.resume(co, 1, 2)) == "first")
assert(select(2, coroutine.resume(co, 3)) == "adding")
local ok, count, sum = coroutine.resume(co, 41)
assert(ok and count == 4 and sum == 42 and coroutine.status(co) == "dead")
assert(not coroutine.resume(co))

local all = {}
for i = 1, 3000 do
  all[i] = coroutine.create(function(a) local b = coroutine.yield(a + i) return b * 2 end)
  assert(select(2, coroutine.resume(all[i], 1)) == i + 1)
end
for i = 1, 3000, 2 do assert(select(2, coroutine.resume(all[i], i)) == 2 * i) end
all = nil
collectgarbage()

local closed = 0
local suspended = coroutine.create(function()
  local guard <close> = setmetatable({}, { __close = function() closed = closed + 1 end })
  coroutine.yield()
end)
coroutine.resume(suspended)
assert(coroutine.close(suspended) and closed == 1)

local function grow(n) if n == 0 then coroutine.yield("bottom") return 0 end return 1 + grow(n - 1) end
local tower = coroutine.create(function() return grow(12000) end)
assert(select(2, coroutine.resume(tower)) == "bottom")
assert(select(2, coroutine.resume(tower)) == 12000)
print("coroutines", total, seen)
