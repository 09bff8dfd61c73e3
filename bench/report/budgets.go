package main

import "slices"

// budget is a bound that a row must keep: ours ≤ most × peer.
type budget struct {
	work       string
	ours, peer quantity
	peerName   string
	most       float64
	limit      string // the formula as text
	noAllocs   bool
}

const us = "asyncsteps"

// cpp is the column of the C++ implementation.
const cpp, cppName = "cpp", "C++"

// plain is the time of one more plain step.
var plain = quantity{row: "Steps", column: us, size: 16, from: 1}

// level is the time of one more level of sub-steps.
var level = quantity{row: "Into", column: us, size: 16, from: 1}

// nodes is the number of nodes, leaves included, of Skynet's tree with a million leaves.
const nodes = 1_111_111

// budgets are the rows of the first table, in its order.
var budgets = slices.Concat(runs, streams())

var runs = []budget{
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
		most: 1. / 50, limit: "≤ 1/50", noAllocs: true,
	},
	{
		work: "10 steps", ours: quantity{row: "Steps", column: us, size: 10},
		peer: quantity{row: "Steps", column: "eino", size: 10}, peerName: "eino",
		most: 1. / 50, limit: "≤ 1/50", noAllocs: true,
	},
	{
		work: "one level of sub-steps", ours: level,
		peer: quantity{exact: 30}, peerName: "30 ns", most: 1, limit: "≤ 30 ns", noAllocs: true,
	},
	{
		work: "one level of 1000 in each other", ours: quantity{row: "Into", column: us, size: 1000, from: 16},
		peer: level, peerName: "one of 16", most: 1.2, limit: "≤ 1.2 ×",
	},
	{
		work: "100 levels", ours: quantity{row: "Into", column: us, size: 100},
		peer: quantity{row: "Into", column: "js.effect", size: 100}, peerName: "Effect on Node.js", most: 0.7, limit: "≤ 0.7 ×",
	},
	{
		work: "raise, catch, recover", ours: quantity{row: "Catch", column: us, size: 16, from: 1},
		peer: quantity{exact: 40}, peerName: "40 ns", most: 1, limit: "≤ 40 ns", noAllocs: true,
	},
	{
		work: "2 plain branches", ours: quantity{row: "Par2", column: us},
		peer: quantity{row: "Par2", column: "errgroup"}, peerName: "errgroup", most: 1. / 4, limit: "≤ ¼", noAllocs: true,
	},
	{
		work: "1000 plain branches", ours: quantity{row: "Par", column: us, size: 1000},
		peer: quantity{row: "Par", column: "errgroup", size: 1000}, peerName: "errgroup",
		most: 1. / 6, limit: "≤ 1/6",
	},
	{
		work: "wait for the loop and resume", ours: quantity{row: "Wait", column: us, size: 16, from: 2},
		peer: quantity{row: "Wait", column: "goroutine", size: 16, from: 2}, peerName: "channel handoff",
		most: 0.4, limit: "≤ 0.4", noAllocs: true,
	},
	{
		work: "wait for another goroutine", ours: quantity{row: "Complete", column: us},
		peer: quantity{row: "Complete", column: "goroutine"}, peerName: "channel", most: 1, limit: "≤ 1 ×", noAllocs: true,
	},
	{
		work: "turn of a loop, plain body", ours: quantity{row: "Turn", column: us},
		peer: plain, peerName: "plain step", most: 3, limit: "≤ 3 ×", noAllocs: true,
	},
	{
		work: "turn of a loop, body waits", ours: quantity{row: "TurnWait", column: us},
		peer: quantity{exact: 200}, peerName: "200 ns", most: 1, limit: "≤ 200 ns", noAllocs: true,
	},
	{
		work: "turn of a loop, body waits", ours: quantity{row: "TurnWait", column: us},
		peer: quantity{row: "TurnWait", column: cpp}, peerName: cppName, most: 2.5, limit: "≤ 2.5 ×", noAllocs: true,
	},
	{
		work: "mutex, free", ours: quantity{row: "Mutex", column: us, size: 16, from: 1},
		peer: level, peerName: "a level of sub-steps", most: 2, limit: "≤ 2 ×", noAllocs: true,
	},
	{
		work: "throttle, free", ours: quantity{row: "Throttle", column: us, size: 16, from: 1},
		peer: quantity{row: "Throttle", column: "rate", size: 16, from: 1}, peerName: "x/time/rate",
		most: 1, limit: "≤ 1 ×", noAllocs: true,
	},
	{
		work: "limiter, free", ours: quantity{row: "Limiter", column: us, size: 16, from: 1},
		peer: quantity{row: "Limiter", column: "rate", size: 16, from: 1}, peerName: "x/time/rate",
		most: 1.5, limit: "≤ 1.5 ×", noAllocs: true,
	},
	{
		work: "limit of a step, armed and disarmed", ours: quantity{row: "Timeout", column: us, size: 16, from: 1},
		peer: quantity{row: "Timeout", column: "context", size: 16, from: 1}, peerName: "context.WithTimeout",
		most: 0.2, limit: "≤ 1/5", noAllocs: true,
	},
	{
		work: "run of one step with a limit", ours: quantity{row: "Timeout", column: us, size: 1},
		peer: quantity{row: "StartTimeout", column: cpp}, peerName: cppName, most: 0.8, limit: "≤ 0.8 ×", noAllocs: true,
	},
	started("Start", "one step", 1, "≤ 1 ×"),
	started("StartWait", "one step that waits", 1.2, "≤ 1.2 ×"),
	started("StartTimeout", "one step with a limit", 1.2, "≤ 1.2 ×"),
	started("StartPar2", "2 plain branches", 0.5, "≤ ½"),
	started("StartMutex", "a step in a free mutex", 0.5, "≤ ½"),
	ahead("Retry", "retry, first attempt", "failsafe", 1),
	ahead("Retry", "retry, first attempt", "backoff", 1),
	ahead("Retry", "retry, third attempt", "failsafe", 3),
	ahead("Retry", "retry, third attempt", "backoff", 3),
	ahead("Hedge", "hedge", "failsafe", 0),
	ahead("Breaker", "16 calls through a breaker", "failsafe", 16),
	ahead("Breaker", "16 calls through a breaker", "gobreaker", 16),
	ahead("Graph", "graph of 12 nodes", "eino", 10),
	ahead("Tasks", "tasks for 1000 numbers", "errgroup", 1000),
	ahead("Tasks", "tasks for 1000 numbers", "conc", 1000),
	ahead("TasksGrow", "tasks that add the nodes of a tree of 1024 leaves", "errgroup", 1024),
	ahead("Skynet", "tree of 1000 leaves on the loops of a group", "goroutines", 1e3),
	ahead("Skynet", "tree of 10⁶ leaves on the loops of a group", "goroutines", 1e6),
	{
		work: "tree of 10⁶ leaves on the loops of a group", ours: quantity{row: "Skynet", column: us, size: 1e6},
		peer: quantity{exact: 250 * nodes}, peerName: "250 ns a node", most: 1, limit: "≤ 250 ns a node",
	},
	ahead("Memo", "100 that share a load", "singleflight", 100),
	ahead("MemoKept", "a value that is kept", "singleflight", 1),
	ahead("MemoKept", "a value that is kept", "otter", 1),
	ahead("MemoKept", "16 times a value that is kept", "singleflight", 16),
	ahead("MemoKept", "16 times a value that is kept", "otter", 16),
	busy("Saga", "1000 sagas on SQLite", "failsafe", 1000),
	busy("Page", "a page of three services", "plain", 0),
	{
		work: "memory of a suspended run, of 10⁶", ours: quantity{row: "Suspended", column: us, size: 1e6, unit: "B/flow"},
		peer: quantity{exact: 400}, peerName: "400 B", most: 1, limit: "≤ 400 B",
	},
	{
		work: "memory of a run suspended among 20 stages, of 10⁴",
		ours: quantity{row: "SuspendedStages", column: us, size: 1e4, unit: "B/flow"},
		peer: quantity{exact: 800}, peerName: "800 B", most: 1, limit: "≤ 800 B",
	},
	{
		work: "memory of an order that waits in a saga, of 10⁴",
		ours: quantity{row: "SuspendedOrders", column: us, size: 1e4, unit: "B/flow"},
		peer: quantity{exact: 1200}, peerName: "1,200 B", most: 1, limit: "≤ 1,200 B",
	},
	{
		work: "first run of 1000 steps", ours: quantity{row: "FirstRun", column: us, unit: "ns/run"},
		peer: quantity{exact: 20_000}, peerName: "20 µs", most: 1, limit: "≤ 20 µs",
	},
	{
		work: "life of a run among 10⁶", ours: quantity{row: "Suspended", column: us, size: 1e6, unit: "ns/flow"},
		peer: quantity{row: "Suspended", column: us, size: 1e3, unit: "ns/flow"}, peerName: "among 10³",
		most: 1.6, limit: "≤ 1.6 ×",
	},
	{
		work: "timer among 10⁶, armed and fired", ours: quantity{row: "TimersFire", column: us, size: 1e6, unit: "ns/timer"},
		peer: quantity{row: "TimersFire", column: us, size: 1e3, unit: "ns/timer"}, peerName: "among 10³",
		most: 2, limit: "≤ 2 ×",
	},
	{
		work: "16 runs on two loops", ours: quantity{row: "Loops", column: us, size: 2},
		peer: quantity{row: "Loops", column: "goroutine", size: 2}, peerName: "2 goroutines that share nothing",
		most: 1.05, limit: "≤ 1.05 ×",
	},
	{
		work: "step of C, through the table", ours: quantity{row: "StepOfC", unit: "ns/step"},
		peer: quantity{row: "Cgo", column: "callback"}, peerName: "cgo callback", most: 2, limit: "≤ 2 ×",
	},
	throughTable("instance, run and free", quantity{row: "TableSteps", size: 1}, 3, "≤ 3 ×"),
	throughTable("plain step", quantity{row: "TableSteps", size: 8, from: 1}, 3, "≤ 3 ×"),
	throughTable("wait", quantity{row: "TableWait", size: 8, from: 1}, 3, "≤ 3 ×"),
	throughTable("2 plain branches", quantity{row: "TablePar2", size: 4, from: 1}, 3, "≤ 3 ×"),
	throughTable("turn of a loop, plain body", quantity{row: "TableTurn"}, 3, "≤ 3 ×"),
	throughTable("turn of a loop, body waits", quantity{row: "TableTurnWait"}, 2.5, "≤ 2.5 ×"),
}

// ahead returns the budget of a combinator that must not take longer than a peer takes for the same work.
func ahead(row, what, peer string, size int) budget {
	return budget{
		work: what, ours: quantity{row: row, column: us, size: size},
		peer: quantity{row: row, column: peer, size: size}, peerName: peer, most: 1, limit: "≤ 1 ×",
	}
}

// busy is ahead for work whose goroutines wait for each other or for files: it compares processor time.
func busy(row, what, peer string, size int) budget {
	b := ahead(row, what+", CPU time", peer, size)
	b.ours, b.peer = b.ours.cpu(), b.peer.cpu()
	return b
}

// streams returns the budgets of package stream. For each kind of work it must take no more time or memory than plain channels and
// each peer that does such work, and no more than 20 ns for a number.
func streams() []budget {
	all := []budget{{
		work: "stream: 10⁷ numbers through one function", ours: quantity{row: "StreamCheap", column: us},
		peer: quantity{exact: 20 * 1e7}, peerName: "20 ns each", most: 1, limit: "≤ 20 ns each",
	}}
	for _, r := range []struct {
		work, row, unit string
		peers           []string
	}{
		{"10⁷ numbers through one function", "StreamCheap", "", []string{"channels", "rill", "ro", "gostreams", "conc"}},
		{"10⁵ numbers that wait, 1000 at a time", "StreamWaiting", "", []string{"channels", "rill", "gostreams", "conc"}},
		{"numbers that keep two processors busy", "StreamBusy", "", []string{"channels", "rill", "gostreams", "conc"}},
		{"memory at the peak, 1000 numbers wait", "StreamMemory", "peak-B", []string{"channels", "rill", "gostreams", "conc"}},
		{"time to stop, 1000 numbers wait", "StreamStop", "stop-ns", []string{"channels"}},
	} {
		for _, peer := range r.peers {
			all = append(all, budget{
				work: "stream: " + r.work, ours: quantity{row: r.row, column: us, unit: r.unit},
				peer: quantity{row: r.row, column: peer, unit: r.unit}, peerName: peer, most: 1, limit: "≤ 1 ×",
			})
		}
	}
	return all
}

// started returns the budget of a run that is started on an existing loop.
func started(row, what string, most float64, limit string) budget {
	return budget{
		work: "start on a loop: " + what, ours: quantity{row: row, column: us},
		peer: quantity{row: row, column: cpp}, peerName: cppName, most: most, limit: limit,
	}
}

// throughTable returns the budget of a program of C on this library, compared with the same program on the C++ implementation.
func throughTable(what string, q quantity, most float64, limit string) budget {
	ours, peer := q, q
	ours.column, peer.column = us, cpp
	return budget{
		work: "from C, through the table: " + what, ours: ours,
		peer: peer, peerName: cppName, most: most, limit: limit,
	}
}
