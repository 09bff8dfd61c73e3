package main

import (
	"time"

	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/retry"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/syncx"
)

// manners are the limits that a crawler keeps to.
type manners struct {
	atOnce int           // pages read at a time
	rate   int           // requests per second
	limit  time.Duration // time limit of one request
	tries  int           // attempts for one page
	depth  int           // links from the first page to the deepest one
}

// page is the result of reading one page.
type page struct {
	url   string
	links []string
	err   error // nil if the page was read
}

// link is a page to read.
type link struct {
	url   string
	depth int // links from the first page
}

// visits are the tasks of a crawl, one for each page. A task adds tasks for the pages that its page links to.
var visits = flow.NewTasks[link, page]("visits")

// seen holds the URLs of the pages that a crawl has added.
var seen = step.NewVar[map[string]bool]("seen")

// newPlan makes the plan that reads a site from one page on, until there are no new links within the depth:
//
//	each page: retry ── throttle ── limit ── read ── follow: new links are more pages
//
// A page that can't be read is also a result, and doesn't end the crawl. All runs of the plan share the throttle.
func newPlan(m manners, s site) flow.Plan[string, []page] {
	request := flow.Timeout(m.limit, step.Await(s.read))
	slowly := syncx.Sync(syncx.NewThrottle(m.rate, time.Second, -1), request)
	policy := retry.Policy{Tries: m.tries, Pause: m.limit / 10, Factor: 2, Jitter: 0.5}
	links := flow.Carry(flow.Then(step.Map(address), retry.Of(policy, slowly)))
	visit := flow.CatchInput(flow.Then(links, step.Func(m.follow)), unread)
	return flow.Then(step.Func(begin), visits.All(m.atOnce, visit))
}

func begin(as step.Scope, url string) ([]link, error) {
	seen.Set(as, map[string]bool{url: true})
	return []link{{url: url}}, nil
}

func address(l link) string { return l.url }

// follow adds the pages that a page links to, unless they were added before or are too deep.
func (m manners) follow(as step.Scope, p flow.Pair[link, []string]) (page, error) {
	known, _ := seen.Get(as)
	for _, url := range p.B {
		if p.A.depth < m.depth && !known[url] {
			known[url] = true
			visits.Go(as, link{url, p.A.depth + 1})
		}
	}
	return page{url: p.A.url, links: p.B}, nil
}

func unread(_ step.Scope, l link, err error) step.Next[page] {
	return step.Succeed(page{url: l.url, err: err})
}
