package main

import (
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

// Page is the answer about one product, as JSON.
type Page struct {
	SKU      string  `json:"sku"`
	Currency string  `json:"currency"`
	Quantity int     `json:"quantity"`
	Price    Price   `json:"price"`
	Stock    Stock   `json:"stock"`
	Reviews  Reviews `json:"reviews"`

	// Fallbacks holds the parts that aren't from their backend, with the reasons.
	Fallbacks map[string]fault.Code `json:"fallbacks,omitempty"`
}

// Price is in the smallest unit of the currency. Its backend sets only Unit.
type Price struct {
	Unit      int  `json:"unit,omitempty"`
	Total     int  `json:"total,omitempty"`
	OnRequest bool `json:"onRequest,omitempty"`
}

// Stock is the number of items that are left.
type Stock struct {
	Left    int  `json:"left"`
	Unknown bool `json:"unknown,omitempty"`
}

// Reviews are the reviews of buyers: the average of their stars, and the newest texts.
type Reviews struct {
	Stars  float64  `json:"stars"`
	Latest []string `json:"latest"`
}

// part is one of the three parts of a page. missed is the reason for a fallback; "" if the backend has answered.
type part[T any] struct {
	value  T
	missed fault.Code
}

func assemble(as step.Scope, got flow.Triple[part[Price], part[Stock], part[Reviews]]) (Page, error) {
	q, _ := asked.Get(as)
	p := Page{
		SKU: q.SKU, Currency: q.Currency, Quantity: q.Quantity,
		Price: got.A.value, Stock: got.B.value, Reviews: got.C.value,
	}
	p.Price.Total = p.Price.Unit * q.Quantity
	p.missed("price", got.A.missed)
	p.missed("stock", got.B.missed)
	p.missed("reviews", got.C.missed)
	return p, nil
}

func (p *Page) missed(name string, why fault.Code) {
	if why == "" {
		return
	}
	if p.Fallbacks == nil {
		p.Fallbacks = make(map[string]fault.Code)
	}
	p.Fallbacks[name] = why
}
