package main

import (
	"errors"
	"sync"

	"github.com/futoin-go/asyncsteps/step"
)

// Quote is an answer of the service.
type Quote struct {
	Item   string  `json:"item"`
	Price  float64 `json:"price"`
	Source string  `json:"source"`
	Old    bool    `json:"old,omitempty"` // it is an earlier price, because no source has given one
}

// prices holds the last quotes, by item. Runs on different loops share it.
type prices struct{ last sync.Map }

func (p *prices) keep(q Quote) Quote {
	p.last.Store(q.Item, q)
	return q
}

// fallback returns the last price of an item after all sources have failed. The error stays if there is no such price, or if a
// source has said that it doesn't have the item.
func (p *prices) fallback(_ step.Scope, item string, err error) step.Next[Quote] {
	if q, ok := p.last.Load(item); ok && !errors.Is(err, unknown) {
		old := q.(Quote)
		old.Old = true
		return step.Succeed(old)
	}
	return step.Unwind[Quote]()
}
