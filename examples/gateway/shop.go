package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"time"
)

//go:embed data/products.jsonl
var productData []byte

// shop holds the products that the backends in this process know, by SKU.
type shop map[string]product

// product is one line of data/products.jsonl.
type product struct {
	SKU     string             `json:"sku"`
	Prices  map[string]int     `json:"prices"` // by currency
	Left    int                `json:"left"`
	Stars   float64            `json:"stars"`
	Reviews []string           `json:"reviews"`
	Trouble map[string]trouble `json:"trouble"` // by backend
}

// trouble is how a backend fails. It depends on the product alone, so the right answer to every request is known.
type trouble string

const (
	slow    trouble = "slow"    // answers after slowness
	drop    trouble = "drop"    // closes the connection
	crash   trouble = "crash"   // answers 500
	busy    trouble = "busy"    // answers 503
	garbage trouble = "garbage" // answers something that isn't JSON
)

// slowness is far beyond the limits that options allow.
const slowness = time.Minute

func newShop(data []byte) (shop, error) {
	products, err := readLines[product](data)
	if err != nil {
		return nil, fmt.Errorf("data/products.jsonl: %w", err)
	}
	s := make(shop, len(products))
	for _, p := range products {
		s[p.SKU] = p
	}
	return s, nil
}

func (s shop) backends() map[string]http.Handler {
	return map[string]http.Handler{
		"price": s.backend("price", func(p product, currency string) any {
			return Price{Unit: p.Prices[currency]}
		}),
		"stock": s.backend("stock", func(p product, _ string) any {
			return Stock{Left: p.Left}
		}),
		"reviews": s.backend("reviews", func(p product, _ string) any {
			return Reviews{Stars: p.Stars, Latest: p.Reviews}
		}),
	}
}

func (s shop) backend(name string, answer func(p product, currency string) any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, found := s[path.Base(r.URL.Path)]
		if !found {
			http.NotFound(w, r)
			return
		}
		switch p.Trouble[name] {
		case slow:
			select {
			case <-time.After(slowness):
			case <-r.Context().Done(): // the client has gone
				return
			}
		case drop:
			panic(http.ErrAbortHandler)
		case crash:
			http.Error(w, "out of memory", http.StatusInternalServerError)
			return
		case busy:
			http.Error(w, "come back later", http.StatusServiceUnavailable)
			return
		case garbage:
			_, _ = w.Write([]byte("<html>"))
			return
		}
		_ = json.NewEncoder(w).Encode(answer(p, r.URL.Query().Get("currency")))
	})
}
