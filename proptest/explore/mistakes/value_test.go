package mistakes_test

import (
	"errors"
	"fmt"

	"github.com/futoin-go/asyncsteps/flow"
)

var values = []mistake{
	{"lost update", "a balance is read, and written after a wait", lostUpdate, false},
	{"check, then act", "the last seat is sold twice: it is taken a wait after the look", checkThenAct, false},
	{"half a pair", "a reader sees one half of a pair that is being written", halfAPair, false},
	{"torn configuration", "a worker reads two settings, between which they are loaded again", tornConfiguration, false},
	{"ABA", "a stack is what it was when it was looked at, and yet another one", aba, false},
	{"old value in a cache", "a load that began before a write fills the cache after it", oldValueInCache, false},
	{"dirty flag cleared too late", "what is changed while it is saved is taken for saved", dirtyFlag, false},
	{"made twice", "two requests find no connection, and each opens one", madeTwice, false},
	{"used before it is ready", "a request comes before the service has its settings", usedBeforeReady, false},
}

func deposit(balance *int) act {
	seen := 0
	return flow.Chain(
		call(func() { seen = *balance }),
		hop(),
		call(func() { *balance = seen + 50 }),
	)
}

func lostUpdate(p *program) error {
	m, balance := mutex(), 0
	p.start(p.locked(m, deposit(&balance)))
	err := p.ends(p.begins("another deposit", p.locked(m, deposit(&balance))))
	return errors.Join(err, expect("balance", balance, 100))
}

func checkThenAct(p *program) error {
	seats, sold := 1, 0
	buy := func() act {
		free := false
		look := func() {
			if free = seats > 0; free && p.fixed {
				seats--
			}
		}
		take := func() {
			if !free {
				return
			}
			sold++
			if !p.fixed {
				seats--
			}
		}
		return flow.Chain(call(look), hop(), call(take))
	}
	p.start(buy())
	return errors.Join(p.ends(p.begins("another buyer", buy())), expect("sold", sold, 1))
}

func halfAPair(p *program) error {
	m, x, y := mutex(), 0, 0
	var torn error
	p.start(p.locked(m, flow.Chain(
		call(func() { x = 1 }),
		hop(),
		call(func() { y = 1 }),
	)))
	read := p.locked(m, call(func() {
		if x != y {
			torn = fmt.Errorf("read %d and %d", x, y)
		}
	}))
	return errors.Join(p.ends(p.begins("read", read)), torn)
}

func tornConfiguration(p *program) error {
	type settings struct{ host, key int }
	now := settings{1, 1}
	var used, snapshot settings
	p.start(
		hops(3),
		call(func() { snapshot = now; used.host = now.host }),
		hop(),
		call(func() {
			if used.key = now.key; p.fixed {
				used.key = snapshot.key
			}
		}),
		hops(3),
	)
	err := p.ends(p.when("load", func() { now = settings{2, 2} }))
	return errors.Join(err, expect("key", used.key, used.host))
}

// aba has a stack of node 1, on node 2, on the ground 0.
func aba(p *program) error {
	next, head, version := []int{0, 2, 0}, 1, 0
	freed := map[int]bool{}
	swap := func(from, seen, to int) bool {
		if head != from || p.fixed && version != seen {
			return false
		}
		head = to
		version++
		return true
	}
	var top, behind, seen int
	p.start(
		call(func() { top, behind, seen = head, next[head], version }),
		hop(),
		call(func() { swap(top, seen, behind) }),
	)
	err := p.ends(p.begins("pop two, push one",
		call(func() { swap(1, version, next[1]) }),
		hop(),
		call(func() {
			if was := head; was != 0 && swap(was, version, next[was]) {
				freed[was] = true
			}
		}),
		hop(),
		call(func() {
			next[1] = head
			swap(head, version, 1)
		}),
	))
	if freed[head] {
		return errors.Join(err, fmt.Errorf("node %d is on the stack and freed", head))
	}
	return err
}

func oldValueInCache(p *program) error {
	store, cached, valid, generation := 1, 0, false, 0
	loaded, began := 0, 0
	p.start(
		hop(),
		call(func() { loaded, began = store, generation }),
		hop(),
		call(func() {
			if p.fixed && began != generation {
				return
			}
			cached, valid = loaded, true
		}),
	)
	err := p.ends(p.when("write", func() {
		store = 2
		valid = false
		generation++
	}))
	if valid {
		return errors.Join(err, expect("cached", cached, store))
	}
	return err
}

func dirtyFlag(p *program) error {
	value, saved, dirty := 1, 0, true
	copied := 0
	save := func() act {
		return flow.Chain(
			call(func() {
				copied = value
				if p.fixed {
					dirty = false
				}
			}),
			hop(),
			call(func() {
				saved = copied
				if !p.fixed {
					dirty = false
				}
			}),
		)
	}
	p.start(hops(2), save())
	err := p.ends(p.when("change", func() { value, dirty = 2, true }))
	if !dirty {
		return errors.Join(err, expect("saved", saved, value))
	}
	return err
}

func madeTwice(p *program) error {
	m, open, connection := mutex(), 0, 0
	request := func() act {
		found := 0
		return p.locked(m, flow.Chain(
			call(func() { found = connection }),
			hop(),
			call(func() {
				if found == 0 {
					open++
					connection = open
				}
			}),
		))
	}
	p.start(request())
	return errors.Join(p.ends(p.begins("another request", request())), expect("connections", open, 1))
}

func usedBeforeReady(p *program) error {
	var ready event
	settings, used := 0, 0
	p.start(hops(2), call(func() {
		settings = 1
		ready.set()
	}))
	request := call(func() { used = settings })
	if p.fixed {
		request = flow.Chain(ready.wait(), request)
	}
	return errors.Join(p.ends(p.begins("a request", request)), expect("settings", used, 1))
}
