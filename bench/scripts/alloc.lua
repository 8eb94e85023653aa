-- Allocation-heavy: trees built and dropped, tables that grow and shrink, closures.
local rounds = tonumber(arg[1])

local function tree(depth)
  if depth == 0 then return { value = 1 } end
  return { left = tree(depth - 1), right = tree(depth - 1), value = depth }
end

local function weight(node)
  if not node.left then return node.value end
  return node.value + weight(node.left) + weight(node.right)
end

local function queue(count)
  local items, first, last = {}, 1, 0
  local total = 0
  for i = 1, count do
    last = last + 1
    items[last] = { id = i, payload = { i, i * 2, i % 7 } }
    if i % 3 == 0 then
      total = total + items[first].payload[2]
      items[first] = nil
      first = first + 1
    end
  end
  return total
end

local function counters(count)
  local made = {}
  for i = 1, count do
    local n = i
    made[i] = function(step) n = n + step; return n end
  end
  local total = 0
  for pass = 1, 3 do
    for i = 1, count do total = total + made[i](pass) end
  end
  return total
end

local sum = 0
for round = 1, rounds do
  sum = sum + weight(tree(13)) + queue(12000) + counters(6000)
end
print("alloc", sum)
