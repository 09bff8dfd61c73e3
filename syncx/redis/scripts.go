package redis

import goredis "github.com/redis/go-redis/v9"

// A place is free, if its key doesn't exist; or held, if the value is the token of the holder; or kept for the token
// that was called: then the value is "next " and that token. A token is the name of a process, a slash and a number.
//
// The queue is a sorted set of the tokens that wait, by the time at which they came, in microseconds of the server. A
// process that dies leaves its tokens there until they are called, or no process that waits has asked for an hour.

// acquire takes the place that the token holds already, because an answer was lost, or that is kept for the token. If there
// is none, or the token hasn't asked before, acquire takes the first place that is free. It returns the number of the place
// and the next fence. Fences rise in the order in which places are taken. If acquire finds no place it returns nothing, and
// queues the token if the token waits.
//
// Keys: the fence, the queue, the places. Arguments: the token, the lease in milliseconds, whether the token waits, whether
// the token may have asked before.
//
//nolint:dupword // Lua's ends
var acquire = goredis.NewScript(`
local token = ARGV[1]
local place
for i = 3, #KEYS do
	local holder = redis.call("GET", KEYS[i])
	if holder == token or holder == "next " .. token then
		place = i
		break
	elseif not holder and not place then
		place = i
		if ARGV[4] == "0" then
			break
		end
	end
end
if place then
	local fence = redis.call("INCR", KEYS[1])
	redis.call("SET", KEYS[place], token, "PX", ARGV[2])
	redis.call("ZREM", KEYS[2], token)
	return {place - 3, fence}
end
if ARGV[3] == "1" then
	local now = redis.call("TIME")
	redis.call("ZADD", KEYS[2], "NX", now[1] * 1000000 + now[2], token)
	redis.call("PEXPIRE", KEYS[2], 3600000)
end
return false
`)

// renew begins the lease of a place anew, and reports true, if the token holds the place.
//
// Key: the place. Arguments: the token, the lease in milliseconds.
var renew = goredis.NewScript(`
if redis.call("GET", KEYS[1]) == ARGV[1] then
	return redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return 0
`)

// release takes the token out of the queue, and gives back the places that it holds or that are kept for it. Each place is
// then kept for the token that has waited longest, and the process of that token is called. If no token waits, the place
// becomes free. If the server forbids the message, the processes that wait find the place by asking again.
//
// Keys: the queue, places. Arguments: the token, for how many milliseconds a place is kept.
//
//nolint:dupword // Lua's ends
var release = goredis.NewScript(`
local token = ARGV[1]
redis.call("ZREM", KEYS[1], token)
for i = 2, #KEYS do
	local holder = redis.call("GET", KEYS[i])
	if holder == token or holder == "next " .. token then
		local first = redis.call("ZPOPMIN", KEYS[1])[1]
		if first then
			redis.call("SET", KEYS[i], "next " .. first, "PX", ARGV[2])
			redis.pcall("PUBLISH", "asyncsteps:" .. string.match(first, "^[^/]*"), first)
		else
			redis.call("DEL", KEYS[i])
		end
	end
end
return true
`)
