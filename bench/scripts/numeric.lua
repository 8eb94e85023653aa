-- Numbers in arrays: matrices, a sieve, n bodies, integer hashing.
local rounds = tonumber(arg[1])

local function matrix(n, f)
  local m = {}
  for i = 1, n do
    local row = {}
    for j = 1, n do row[j] = f(i, j) end
    m[i] = row
  end
  return m
end

local function product(a, b, n)
  return matrix(n, function(i, j)
    local row, sum = a[i], 0.0
    for k = 1, n do sum = sum + row[k] * b[k][j] end
    return sum
  end)
end

local function primes(limit)
  local composite, count = {}, 0
  for i = 2, limit do
    if not composite[i] then
      count = count + 1
      for j = i * i, limit, i do composite[j] = true end
    end
  end
  return count
end

local function bodies(steps)
  local all = {}
  for i = 1, 6 do
    all[i] = { x = i * 1.5, y = i % 3 + 0.25, vx = 0.0, vy = 0.01 * i, mass = 1.0 / i }
  end
  for step = 1, steps do
    for i = 1, #all do
      local a = all[i]
      for j = i + 1, #all do
        local b = all[j]
        local dx, dy = a.x - b.x, a.y - b.y
        local d2 = dx * dx + dy * dy + 0.01
        local pull = 0.001 / (d2 * d2 ^ 0.5)
        a.vx = a.vx - dx * b.mass * pull
        a.vy = a.vy - dy * b.mass * pull
        b.vx = b.vx + dx * a.mass * pull
        b.vy = b.vy + dy * a.mass * pull
      end
    end
    for i = 1, #all do
      local a = all[i]
      a.x = a.x + 0.01 * a.vx
      a.y = a.y + 0.01 * a.vy
    end
  end
  return all[1].x + all[6].y
end

local function hash(count)
  local h = 2166136261
  for i = 1, count do
    h = ((h ~ (i & 0xff)) * 16777619) & 0xffffffff
    h = h ~ (h >> 7)
  end
  return h
end

local check = 0.0
for round = 1, rounds do
  local n = 70
  local a = matrix(n, function(i, j) return (i * j) % 11 - 5 end)
  local b = product(a, a, n)
  check = check + b[3][7] + primes(90000) + bodies(3000) + hash(250000) % 1000
end
print(string.format("numeric %.6f", check))
