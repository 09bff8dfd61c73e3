// Package redis guards steps across processes, through a Redis server: it bounds how many flows of all your workers are inside
// a section at once, or how often they enter it.
//
//	client := goredis.NewClient(&goredis.Options{Addr: "localhost:6379"})
//	guards := redis.New(client, 10*time.Second)
//	var invoices = syncx.Sync(guards.Mutex("invoices", 1, -1), number)
//
// [Guards.Mutex], [Guards.Throttle] and [Guards.Limiter] are used as those of package
// syncx: with syncx.Sync, syncx.SyncKeyed, in any plan. The algorithm of rates is that of redis_rate.
//
// # What holds when a process dies or stalls
//
// A place is held on a lease, which the process renews every third of its length. If the process dies, another one takes
// the place over when the lease has passed. If the process is cut off from the server, or stopped, for too long, its
// section fails with syncx.LeaseLost a tenth of the lease before anybody else may be inside, or as soon as the process goes on.
//
// That can be too late: a process that is stalled in the middle of a write doesn't know that it was replaced. Therefore each
// section of a Mutex or Limiter has a fence: syncx.Fence(ctx). The receiver of the writes should keep the largest fence, and
// refuse smaller ones.
//
// # How far the fence goes
//
// The fence is a counter of the server. The script that takes a place raises it, so fences rise
// in the order in which the places of one name were taken, as
// long as the server keeps what it was told. Redis doesn't promise that by default. After a
// restart it may have lost its last writes, or all: set appendonly to yes and
// appendfsync to always. After a failover the replica may lack writes that the old server
// has confirmed: then two processes may hold one place for up to a lease, and fences may be
// given twice. Where that matters use syncx/nats with replicas, or a database.
//
// # Clocks
//
// A lease passes by the clock of the server, and the holder measures it by its own monotonic
// clock from before its last renewal was sent. The clocks may go at speeds that differ by
// less than a tenth. If the clock of the server is set forward, leases pass too soon. On Linux the
// monotonic clock stands still while the machine is suspended. If the lease has passed meanwhile, the next renewal
// evicts the section: if the server answers, about a third of the lease after the machine goes on, or sooner.
//
// # The client
//
// Set ContextTimeoutEnabled in the options of the client. Without it a request over a connection that has gone silent takes
// as long as ReadTimeout instead of two seconds, and a short lease expires in that time. A request waits for a connection of
// the pool: if other parts of the program may use them all, give the guards a client of their own.
//
// # Keys
//
// A Mutex has the keys "{name}:places:0", "{name}:places:1" and so on, which expire, as "{name}:queue" does, and
// "{name}:fence", which doesn't expire and must not be deleted. A Throttle has "rate:{name}", which expires once
// all entries are allowed again. A Limiter has both: it shares the places of a Mutex of its name, and the
// entries of a Throttle. If a fence or a rate has a value that isn't a number, flows that ask fail with
// fault.CommError, which names the key.
//
// # Order
//
// In one process flows enter first come, first served, and the process asks for at most one place at a time for each guard,
// however many flows wait. Processes that wait queue at the server. A process that leaves keeps the place for the first of
// them, for a tenth of the lease, at most a tenth of a second, and calls that process by a message. The channel is "asyncsteps:"
// and a random name of the called process. The guards of one [New] share the connection on which a process gets messages; it
// exists while a flow waits, and a second longer. If a message is lost, or the user of the client has no right to that
// channel, processes that wait find the place by asking again.
package redis
