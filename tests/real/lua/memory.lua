-- The collector: both modes, steps, finalizers that resurrect, allocate and fail; files.
local function garbage(n)
  local keep = {}
  for i = 1, n do
    local node = { name = "node" .. i, link = keep[#keep], list = { i, i + 1, i + 2 } }
    if i % 50 == 0 then keep[#keep + 1] = node end
  end
  return #keep
end

for _, mode in ipairs { "incremental", "generational", "incremental" } do
  collectgarbage(mode)
  for _ = 1, 4 do assert(garbage(12000) == 240) end
end
collectgarbage("incremental", 50, 400, 8)
for _ = 1, 200 do collectgarbage("step", 1); garbage(40) end
collectgarbage("stop")
garbage(2000)
assert(not collectgarbage("isrunning"))
collectgarbage("restart")

local finalized, revived = 0, {}
for i = 1, 500 do
  setmetatable({ i }, { __gc = function(object)
    finalized = finalized + 1
    if object[1] % 7 == 0 then revived[#revived + 1] = object end
    local rest = {}
    for j = 1, 20 do rest[j] = { object } end
  end })
end
warn("@off")
setmetatable({}, { __gc = function() error("in a finalizer") end })
collectgarbage()
collectgarbage()
assert(finalized == 500 and #revived == 71 and revived[1][1] % 7 == 0)

local name = os.tmpname()
local file <close> = assert(io.open(name, "w+"))
file:setvbuf("full", 64)
for i = 1, 500 do file:write(i, " ", i / 4, "\n") end
file:seek("set")
local lines, sum = 0, 0.0
for first, second in file:lines("n", "n") do
  lines = lines + 1
  sum = sum + second
  if lines == 500 then break end
end
assert(lines == 500 and sum == 31312.5)
file:seek("set", 0)
assert(file:read("l") == "1 0.25" and #file:read(100) == 100 and file:read(0) == "" and #file:read("a") > 1000)
assert(file:read("a") == "" and file:read("l") == nil and file:seek("end") > 0)
os.remove(name)
assert(not io.open(name) and select(3, io.open(name)) == 2)
local process = io.popen("echo from a shell; exit 3")
assert(process:read("a") == "from a shell\n" and select(3, process:close()) == 3)
print("memory", finalized, #revived, lines)
