package main

import (
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/loopx"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// manners are how a crawler treats a site.
type manners struct {
	atOnce int           // pages
	rate   int           // requests a second
	limit  time.Duration // for one request
	tries  int           // for one page
	depth  int           // links from the first page
}

// page is what came of one page.
type page struct {
	url   string
	links []string
	err   error // nil if it was read
}

// crawl is how far a crawl is: what is to be read next, and what was read.
type crawl struct {
	next  []string
	seen  map[string]bool
	pages []page
	level int
}

// levels is the loop over the levels of a site.
var levels = loopx.NewLabel[crawl]("levels")

// newPlan reads a site from one page on, level by level, until there are no new links:
//
//	again: each page of the level: retry ── throttle ── limit ── read
//	       collect: new links are the next level
//
// A page that can't be read is a result, too, and ends nothing. The throttle is shared by
// all runs of the plan.
func newPlan(m manners, s site) flow.Plan[string, []page] {
	request := flow.Timeout(m.limit, step.Await(s.read))
	slowly := syncx.Sync(syncx.NewThrottle(m.rate, time.Second, -1), request)
	policy := retry.Policy{Tries: m.tries, Pause: m.limit / 10, Factor: 2, Jitter: 0.5}
	links := flow.Carry(retry.Of(policy, slowly))
	visit := flow.CatchInput(flow.Then(links, step.Map(read)), unread)

	level := flow.Carry(flow.Then(step.Map(upcoming), flow.ParEach(m.atOnce, visit)))
	all := loopx.Labelled(levels, loopx.Loop(flow.Then(level, step.New(m.collect))))
	return flow.Then(flow.Then(step.Map(begin), all), step.Map(func(c crawl) []page { return c.pages }))
}

func begin(url string) crawl {
	return crawl{next: []string{url}, seen: map[string]bool{url: true}}
}

func upcoming(c crawl) []string { return c.next }

func read(p flow.Pair[string, []string]) page { return page{url: p.A, links: p.B} }

func unread(_ step.Scope, url string, err error) step.Next[page] {
	return step.Succeed(page{url: url, err: err})
}

// collect ends a level: the loop goes on with the pages that are new.
func (m manners) collect(_ step.Scope, done flow.Pair[crawl, []page]) step.Next[crawl] {
	c := done.A
	c.pages = append(c.pages, done.B...)
	c.next = nil
	for _, p := range done.B {
		for _, url := range p.links {
			if !c.seen[url] {
				c.seen[url] = true
				c.next = append(c.next, url)
			}
		}
	}
	if c.level++; c.level > m.depth || len(c.next) == 0 {
		return loopx.BreakTo[crawl](levels, c)
	}
	return step.Succeed(c)
}
