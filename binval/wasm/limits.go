package wasm

import (
	"io"
	"time"

	"github.com/futoin-go/asyncsteps/syncx"
)

// The values that zero fields of [Limits] stand for.
const (
	DefaultMemory    = 16 << 20
	DefaultTurn      = 100 * time.Millisecond
	DefaultStart     = 5 * time.Second
	DefaultObjects   = 10_000
	DefaultInstances = 10_000
)

// Limits bound the memory, the time and the imports of a module. The zero Limits are for code that you don't trust: each execution of a step
// has its own instance, nothing of the system is imported, and the numbers are the defaults.
type Limits struct {
	// Memory is how large the linear memory of an instance may become, in bytes, rounded down to pages of 64 KiB. An instance has at
	// most 4 GiB less a page, even if Memory is 4 GiB. All instances in use together may take Memory times Instances. Some operations can't
	// be stopped, and take time in proportion to Memory: an instruction that fills, copies or grows all of it, some calls of WASI,
	// and decoding a result.
	Memory int64
	// Turn is how long a call of the guest may hold its loop; the cleanups at the end of a run count as one call. After that the
	// guest is stopped within about a quarter of Turn, or two milliseconds if Turn is below eight milliseconds. Turn doesn't bound guests
	// that run off the loop, see [Await].
	Turn time.Duration
	// Start is how long making an instance may take, including the start functions of the guest. [Load] makes the first instance. Others
	// are made on the loop of a run, and the other runs of that loop wait meanwhile; a step of [Await] has a loop of its own.
	Start time.Duration
	// Objects is how many steps, roots, timers, variables, values, locks and blocks of memory an instance may have at the same
	// time. Each of them costs the host memory, with a name or label of 4 KiB at most.
	Objects int
	// Instances is how many instances may be in use at the same time. A step that needs one more fails with
	// fault.DefenseRejected.
	Instances int
	// Reuse makes an instance serve one execution of a step after the other, and keep its memory in between. Without it an
	// instance serves one execution.
	Reuse bool
	// Ready is how many instances are kept for the next steps. Load makes the first in any case; others are made when a step ends.
	// With Reuse it is how many used ones are kept, and zero stands for 64.
	Ready int
	// Trusted leaves out the checks by which a guest is stopped, at the beginning of each function and of each iteration of a loop.
	// Then Turn has no effect, and neither Start nor a cancel ends a loop of the guest that doesn't call the host.
	Trusted bool
	// WASI are the names of the functions of wasi_snapshot_preview1 that the guest may import; see [Basic]. There are no files,
	// arguments or environment variables. Clocks tell an invented time, which moves on by a millisecond whenever they are read, and
	// each instance gets the same random numbers.
	WASI []string
	// Output receives the output of the guest, if WASI allows fd_write; nil drops it. Its Write is called on any goroutine, and by
	// several at the same time.
	Output io.Writer
	// Guards are the guards that the guest may use by their names.
	Guards map[string]syncx.Guard
}

// Basic returns the names of the functions of WASI that the runtimes of languages import. Here they do little: they print, tell an
// invented time, give the same numbers in each instance, and end the guest. Programs made with Go need some of them.
func Basic() []string {
	return []string{
		"args_get", "args_sizes_get", "clock_time_get", "environ_get", "environ_sizes_get", "fd_close", "fd_fdstat_get",
		"fd_fdstat_set_flags", "fd_prestat_dir_name", "fd_prestat_get", "fd_read", "fd_seek", "fd_write", "poll_oneoff",
		"proc_exit", "random_get", "sched_yield",
	}
}

const page = 64 << 10

// mostPages is one page less than a memory can have. The runtime and its compiled code keep the size of a memory in 32 bits, where 4 GiB
// are 0, and everything would be out of bounds.
const mostPages = 1<<16 - 1

func (l Limits) filled() Limits {
	fill(&l.Memory, DefaultMemory)
	fill(&l.Turn, DefaultTurn)
	fill(&l.Start, DefaultStart)
	fill(&l.Objects, DefaultObjects)
	fill(&l.Instances, DefaultInstances)
	if l.Output == nil {
		l.Output = io.Discard
	}
	if l.Reuse {
		fill(&l.Ready, 64)
	}
	return l
}

func fill[T int | int64 | time.Duration](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}

func (l Limits) err() error {
	switch {
	case l.Memory < page || l.Memory > 4<<30:
		return invalid("Limits.Memory isn't between 64 KiB and 4 GiB")
	case l.Turn < time.Millisecond:
		return invalid("Limits.Turn is less than a millisecond")
	case l.Start < time.Millisecond:
		return invalid("Limits.Start is less than a millisecond")
	case l.Objects < 1 || l.Instances < 1 || l.Ready < 0:
		return invalid("a number of Limits is negative")
	}
	for name, g := range l.Guards {
		if g == nil {
			return invalid("the guard " + name + " of Limits is nil")
		}
		if own, ok := g.(interface{ Err() error }); ok {
			if err := own.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}
