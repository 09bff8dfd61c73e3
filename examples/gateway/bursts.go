package main

import (
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// bursts are sets of 24 requests to a gateway that has room for four, at its door or at a backend.
var bursts = []burst{
	{
		name:   "of more than the door lets in: four enter, four wait for them",
		limits: withDoor(syncx.Limits{Concurrent: 4, MaxQueue: 4, Rate: 24}),
		held:   parts,
		early:  kinds{"429 Mutex queue limit": 16},
		late:   kinds{"200": 8},
	},
	{
		name:   "of more than the door lets in per hour: four enter, none waits",
		limits: withDoor(syncx.Limits{Concurrent: 24, Rate: 4, Period: time.Hour}),
		held:   parts,
		early:  kinds{"429 Throttle queue limit": 20},
		late:   kinds{"200": 4},
	},
	{
		name:   "of more than a backend bears: four call it, four wait, the others go on without",
		limits: withCalls("reviews", 4),
		held:   []string{"reviews"},
		early:  kinds{"200 reviews: DefenseRejected": 16},
		late:   kinds{"200": 8},
	},
}

func withDoor(door syncx.Limits) limits {
	l := wide(maxWait)
	l.door = door
	return l
}

func withCalls(name string, most int) limits {
	l := wide(maxWait)
	l.calls[name] = most
	return l
}
