package storm_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	storm  = flag.Duration("storm", 0, "how long TestStorm runs; 0 is as many scenes as -storm.scenes")
	scenes = flag.Int("storm.scenes", 0, "how many scenes TestStorm runs at most; 0 is 300, or any number with -storm")
	seed   = flag.Uint64("storm.seed", 1, "the seed of the first scene, the next one has the next number; 0 draws one")
)

type ending int

const (
	open      ending = iota
	patient          // the loops are shut down while runs are on them, and wait for these
	impatient        // like patient, but the runs are soon cancelled
)

// A scene is a plan, some runs of it, and the disturbances of these.
type scene struct {
	seed     uint64
	plan     *node
	nodes    int // the numbers of nodes are below it
	lives    int
	loops    int
	procs    int
	calm     bool // the short grace may cut nothing off, so nothing may be left
	rings    bool // gates are entered in any order
	observed bool
	shutdown ending
}

// drawn returns the scene of a seed.
func drawn(seed uint64) *scene {
	r := rand.New(rand.NewPCG(seed, 0))
	d := &draws{Rand: r, left: 1 + r.IntN(40)}
	s := &scene{
		seed: seed, lives: 1 + r.IntN(6), loops: 1 + r.IntN(3), procs: 1 << r.IntN(3),
		calm: r.IntN(8) == 0, rings: r.IntN(4) == 0, observed: r.IntN(2) == 0,
	}
	if !s.calm {
		s.shutdown = []ending{open, open, open, patient, patient, impatient}[r.IntN(6)]
	}
	depth := 2 + r.IntN(6)
	if r.IntN(5) == 0 {
		s.plan = d.node(planKinds.named("flow.Saga"), depth)
	} else {
		s.plan = d.plan(depth)
	}
	s.nodes = d.next
	return s
}

func (s *scene) String() string {
	return fmt.Sprintf("seed %d: %d runs on %d loops, GOMAXPROCS=%d, calm %t, rings %t, observed %t, shutdown %d\n%v",
		s.seed, s.lives, s.loops, s.procs, s.calm, s.rings, s.observed, s.shutdown, s.plan)
}

// TestStorm runs random plans of many combinators on real loops, and checks the world after each scene.
func TestStorm(t *testing.T) {
	next, most := *seed, *scenes
	if next == 0 {
		next = uint64(time.Now().UnixNano())
		t.Logf("the first seed is %d", next)
	}
	if most == 0 && *storm == 0 {
		most = 300
	}
	begin := time.Now()
	count, runs, base := 0, 0, uint64(0)
	for ; (most == 0 || count < most) && (*storm == 0 || time.Since(begin) < *storm); count++ {
		s := drawn(next + uint64(count))
		wrong, of := s.play(hang)
		if len(wrong) > 0 {
			t.Logf("scene %d, after %v", count, time.Since(begin))
			report(t, s, wrong)
			return
		}
		if runs += of; count%1000 == 999 {
			switch now := heap(); {
			case base == 0:
				base = now // the pools are filled by then
			case now > 2*base+16<<20+uint64(count)*layouts:
				t.Fatalf("scene %d: %d bytes in use, %d at first", count, now, base)
			}
		}
	}
	t.Logf("%d scenes, %d runs in %v; heap %d KiB at first, %d KiB at last", count, runs, time.Since(begin).Round(time.Second), base>>10, heap()>>10)
}

// layouts is how many bytes a scene may keep for good, for types of its levels' memory that no earlier scene needed.
const layouts = 4 << 10

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func report(t *testing.T, s *scene, wrong []broken) {
	t.Helper()
	t.Errorf("%s\n%s\nagain: go test -race ./proptest/storm -run TestStorm -storm.seed=%d -storm.scenes=1 -count=100", lines(wrong), s, s.seed)
	small, wrong := s.shrunk(wrong[0].law)
	if small != s {
		t.Errorf("simpler:\n%s\n%s", lines(wrong), small)
	}
}

func lines(wrong []broken) string {
	var text strings.Builder
	for _, w := range wrong {
		fmt.Fprintf(&text, "%s: %s\n", w.law, w.text)
	}
	return text.String()
}

// shrunk returns the simplest scene found that breaks the same law, and what it breaks.
func (s *scene) shrunk(law string) (*scene, []broken) {
	var wrong []broken
	patience, tries := hang, 40
	if law == "hang" {
		patience, tries = hang/15, 5
	}
	end := time.Now().Add(time.Minute)
	for found := true; found; {
		found = false
		for _, simple := range s.simpler() {
			for range tries {
				if time.Now().After(end) {
					return s, wrong
				}
				if w, _ := simple.play(patience); slices.ContainsFunc(w, func(b broken) bool { return b.law == law }) {
					s, wrong, found = simple, w, true
					break
				}
			}
			if found {
				break
			}
		}
	}
	return s, wrong
}

func (s *scene) simpler() []*scene {
	var all []*scene
	add := func(change func(s *scene)) {
		other := *s
		change(&other)
		all = append(all, &other)
	}
	for _, plan := range s.plan.simpler() {
		add(func(s *scene) { s.plan = plan })
	}
	if s.lives > 1 {
		add(func(s *scene) { s.lives = 1 })
		add(func(s *scene) { s.lives-- })
	}
	if s.loops > 1 {
		add(func(s *scene) { s.loops = 1 })
	}
	if s.shutdown != open {
		add(func(s *scene) { s.shutdown = open })
	}
	if s.observed {
		add(func(s *scene) { s.observed = false })
	}
	return all
}
