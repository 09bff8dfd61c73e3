// Package nats guards steps across processes, through a bucket of a NATS server: it bounds how many flows of all your workers
// are inside a section at once, or how often they enter it.
//
//	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "guards"})
//	guards := nats.New(kv, 10*time.Second)
//	var invoices = syncx.Sync(guards.Mutex("invoices", 1, -1), number)
//
// [Guards.Mutex], [Guards.Throttle] and [Guards.Limiter] are used as those of package
// syncx: with syncx.Sync, syncx.SyncKeyed, in any plan.
//
// # What holds when a process dies or stalls
//
// A place is held on a lease, which the process renews every third of its length. If the process dies, another one that waits
// takes the place over about a lease and a tenth after the last renewal, and one that comes later about a lease after it has
// come. With a maxQueue of 0 nobody waits: then a process that tries again after a lease, by the same guard, takes the place.
// If the process is cut off from the server, or stopped, for too long, its section fails with syncx.LeaseLost a tenth of the
// lease before anybody else may be inside, or as soon as the process goes on.
//
// That can be too late: a process that is stalled in the middle of a write doesn't know that it was replaced. Therefore each
// section of a Mutex or Limiter has a fence, the revision at which the place was taken: syncx.Fence(ctx). Revisions of a
// bucket only rise, so the receiver of the writes should keep the largest fence, and refuse smaller ones. Then a process
// that was replaced changes nothing once its successor has written.
//
// # Clocks
//
// For places, no two clocks are compared. Each process measures the lease with its own monotonic clock: the holder from
// before its last renewal was sent, the others from when they have seen it. The clocks may go at speeds that
// differ by less than a tenth. On Linux this clock stands still while the machine is suspended. If another process has taken
// the place meanwhile, the next renewal evicts the section: if the server answers, about a third of the lease after the
// machine goes on, or sooner. Windows of a Throttle are measured by the server's clock: if it is set back a window is
// longer, if it is set forward one is shorter.
//
// # The bucket
//
// Any bucket with a history of 1 and no TTL will do. Fences rise as long as the bucket exists, also across restarts if it is
// stored in files, and after a power failure if the sync_interval of the server is always. A bucket with replicas survives
// the loss of a server. The guards write under the keys "name.places.0", "name.places.1" and so on, "name.places.queue", and
// "name.rate". A Limiter shares the places of a Mutex of its name, and the entries of a Throttle. Calls are written under the
// keys "calls.0" to "calls.1023".
//
// A place that is free and a queue in which nobody waits are deleted, which leaves a marker in the bucket for each. With a
// name for each customer these add up: PurgeDeletes of the bucket removes them, and fences rise all the same. Call
// PurgeDeletes while no flow enters: it may also remove a place that is taken at that moment. Then a second process could
// take the place too, until the next renewal evicts the first one. A key "name.rate" stays.
//
// # Order
//
// In one process flows enter first come, first served, and the process asks for at most one place at a time for each guard,
// however many flows wait. The processes that wait, one flow of each, are served in the same order: the names of these flows
// are stored in the bucket. A process that leaves calls the first of them, by a key of the bucket, and the called process
// takes the place. If it doesn't do so within a tenth of the lease, at most a tenth of a second, the process that has left
// takes the called one out of the queue and calls the next one. If the process that has left ends before that, the others
// find the place within about a lease. If a call is lost, processes that wait find the place by asking, as they do now and
// then: the first one after a tenth of a lease, those behind it later, and each after a second at most. The guards of one
// [New] share the watcher by which a process hears calls; it exists while a flow waits, and a second longer.
package nats
