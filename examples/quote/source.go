package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"github.com/futoin-go/asyncsteps/fault"
)

// source is an HTTP server that knows prices: GET /?item=tea.
type source struct {
	name   string
	client *http.Client
	at     string // URL
}

func (s source) ask(ctx context.Context, item string) (Quote, error) {
	q := Quote{Item: item, Source: s.name}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.at+"/?item="+url.QueryEscape(item), http.NoBody)
	if err != nil {
		return q, err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return q, fault.Wrap(fault.CommError, s.name, err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing more is wanted from the body
	switch resp.StatusCode {
	case http.StatusOK:
		return q, json.NewDecoder(resp.Body).Decode(&q.Price)
	case http.StatusNotFound:
		return q, fault.New(unknown, s.name+" has no "+item)
	default:
		return q, fault.New(fault.CommError, s.name+": "+resp.Status)
	}
}
