package main

// budget is what a row must reach: ours ≤ most × peer.
type budget struct {
	work       string
	ours, peer quantity
	peerName   string
	most       float64
	limit      string // the same in words
	noAllocs   bool
}

const us = "asyncsteps"

// plain is what the other budgets are made of: one more plain step.
var plain = quantity{row: "Steps", column: us, size: 16, from: 1}

// budgets are the rows of the first table, in its order.
var budgets = []budget{
	{
		work: "plain step in a plan of 16", ours: plain,
		peer: quantity{row: "Steps", column: "floor", size: 16, from: 1}, peerName: "indirect call",
		most: 4, limit: "≤ 4 ×", noAllocs: true,
	},
	{
		work: "start, run and result of one step", ours: quantity{row: "Run", column: us},
		peer: quantity{row: "Run", column: "goroutine"}, peerName: "goroutine + channel",
		most: 0.25, limit: "≤ ¼", noAllocs: true,
	},
	{
		work: "10 steps", ours: quantity{row: "Steps", column: us, size: 10},
		peer: quantity{row: "Steps", column: "ro", size: 10}, peerName: "ro",
		most: 1. / 50, limit: "≤ 1/50",
	},
	{
		work: "10 steps", ours: quantity{row: "Steps", column: us, size: 10},
		peer: quantity{row: "Steps", column: "eino", size: 10}, peerName: "eino",
		most: 1. / 50, limit: "≤ 1/50",
	},
	{
		work: "one level of sub-steps", ours: quantity{row: "Into", column: us, size: 16, from: 1},
		peer: plain, peerName: "plain step", most: 5, limit: "≤ 5 ×", noAllocs: true,
	},
	{
		work: "raise, catch, recover", ours: quantity{row: "Catch", column: us, size: 16, from: 1},
		peer: plain, peerName: "plain step", most: 8, limit: "≤ 8 ×", noAllocs: true,
	},
	{
		work: "2 plain branches", ours: quantity{row: "Par2", column: us},
		peer: quantity{row: "Par2", column: "errgroup"}, peerName: "errgroup", most: 1. / 4, limit: "≤ ¼",
	},
	{
		work: "1000 plain branches", ours: quantity{row: "Par", column: us, size: 1000},
		peer: quantity{row: "Par", column: "errgroup", size: 1000}, peerName: "errgroup",
		most: 1. / 6, limit: "≤ 1/6",
	},
	{
		work: "wait for the loop and resume", ours: quantity{row: "Wait", column: us, size: 16, from: 2},
		peer: quantity{row: "Wait", column: "goroutine", size: 16, from: 2}, peerName: "channel handoff",
		most: 0.5, limit: "≤ ½", noAllocs: true,
	},
	{
		work: "wait for another goroutine", ours: quantity{row: "Complete", column: us},
		peer: quantity{row: "Complete", column: "goroutine"}, peerName: "channel", most: 1.3, limit: "≤ 1.3 ×",
	},
	{
		work: "turn of a loop, plain body", ours: quantity{row: "Turn", column: us},
		peer: plain, peerName: "plain step", most: 3, limit: "≤ 3 ×",
	},
	{
		work: "turn of a loop, body waits", ours: quantity{row: "TurnWait", column: us},
		peer: quantity{exact: 200}, peerName: "200 ns", most: 1, limit: "≤ 200 ns",
	},
	{
		work: "mutex, free", ours: quantity{row: "Mutex", column: us, size: 16, from: 1},
		peer: quantity{row: "Mutex", column: "semaphore", size: 16, from: 1}, peerName: "x/sync semaphore",
		most: 1.5, limit: "≤ 1.5 ×",
	},
	{
		work: "throttle, free", ours: quantity{row: "Throttle", column: us, size: 16, from: 1},
		peer: quantity{row: "Throttle", column: "rate", size: 16, from: 1}, peerName: "x/time/rate",
		most: 1, limit: "≤ 1 ×",
	},
	{
		work: "limiter, free", ours: quantity{row: "Limiter", column: us, size: 16, from: 1},
		peer: quantity{row: "Limiter", column: "rate", size: 16, from: 1}, peerName: "x/time/rate",
		most: 1.5, limit: "≤ 1.5 ×",
	},
	{
		work: "limit of a step, armed and disarmed", ours: quantity{row: "Timeout", column: us, size: 16, from: 1},
		peer: quantity{row: "Timeout", column: "context", size: 16, from: 1}, peerName: "context.WithTimeout",
		most: 0.25, limit: "≤ ¼", noAllocs: true,
	},
	{
		work: "memory of a suspended run, of 10⁶", ours: quantity{row: "Suspended", column: us, size: 1e6, unit: "B/flow"},
		peer: quantity{exact: 400}, peerName: "400 B", most: 1, limit: "≤ 400 B",
	},
	{
		work: "life of a run among 10⁶", ours: quantity{row: "Suspended", column: us, size: 1e6, unit: "ns/flow"},
		peer: quantity{row: "Suspended", column: us, size: 1e3, unit: "ns/flow"}, peerName: "among 10³",
		most: 1.2, limit: "≤ 1.2 ×",
	},
	{
		work: "timer among 10⁶, armed and fired", ours: quantity{row: "TimersFire", column: us, size: 1e6, unit: "ns/timer"},
		peer: quantity{row: "TimersFire", column: us, size: 1e3, unit: "ns/timer"}, peerName: "among 10³",
		most: 2, limit: "≤ 2 ×",
	},
	{
		work: "16 runs on two loops", ours: quantity{row: "Loops", column: us, size: 2},
		peer: quantity{row: "Loops", column: us, size: 1}, peerName: "on one loop",
		most: 1 / 1.8, limit: "≤ 1/1.8",
	},
	{
		work: "step of C, through the table", ours: quantity{row: "StepOfC", unit: "ns/step"},
		peer: quantity{row: "Cgo", column: "callback"}, peerName: "cgo callback", most: 3, limit: "≤ 3 ×",
	},
}
