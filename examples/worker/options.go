package main

import (
	"fmt"
	"net/url"
	"time"
)

type options struct {
	spool, to             string
	rate, attempts        int
	limit, poll, patience time.Duration
}

// check returns an error for invalid options. If no call could be made to the URL, each file would end up dead although nobody
// has refused it.
func (o options) check() error {
	to, err := url.Parse(o.to)
	if err != nil {
		return fmt.Errorf("-to: %w", err)
	}
	if to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return fmt.Errorf("-to %q: it has to be a URL like http://localhost:8080/orders", o.to)
	}
	for name, n := range map[string]int{"rate": o.rate, "tries": o.attempts} {
		if n < 1 {
			return fmt.Errorf("-%s %d: it has to be 1 or more", name, n)
		}
	}
	for name, d := range map[string]time.Duration{"timeout": o.limit, "poll": o.poll, "patience": o.patience} {
		if d <= 0 {
			return fmt.Errorf("-%s %v: it has to be above 0", name, d)
		}
	}
	return nil
}
