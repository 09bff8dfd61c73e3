package storm_test

// What the storm doesn't draw, because it is known to break a law. Each is set to true with its mend, and removed.
const (
	// Goexit in a function of a stage: some elements are heard of twice then, others not at all.
	exitsInStages = false
	// A stream with goroutines that is the acquire of a Bracket, or the do of an Undo, doesn't end when that is to be
	// left: its goroutines stop, and it waits for them until the grace is over.
	streamsInAcquires = false
	// A ring of gates through a race, or through a Linger with an On in it, isn't found.
	ringsInRaces = false
	// A load of package share that begins in stream.All stands still when All has ended, with all that wait for it.
	loadsInAll = false
)
