-- Requests that were signed before the clock started, one after another, as they go over the wire.
local requests, count, sent = {}, 0, 0

function init(args)
  local file = io.open(args[1], 'rb')
  for request in file:read('*a'):gmatch('[^%z]+') do
    count = count + 1
    requests[count] = request
  end
  file:close()
end

function request()
  sent = sent + 1
  return requests[math.min(sent, count)]
end
