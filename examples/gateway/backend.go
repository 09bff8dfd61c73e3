package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/futoin-go/asyncsteps/fault"
)

// badAnswer is the code for an answer of a backend that the gateway can't use.
const badAnswer fault.Code = "BadAnswer"

// maxAnswer bounds how many bytes of an answer are read.
const maxAnswer = 1 << 20

// backends are the three services that a page is made of.
type backends struct {
	price   backend[Price]
	stock   backend[Stock]
	reviews backend[Reviews]
}

// newBackends makes backends at the URLs of "price", "stock" and "reviews".
func newBackends(client *http.Client, at map[string]*url.URL) backends {
	return backends{
		price:   backend[Price]{"price", client, at["price"]},
		stock:   backend[Stock]{"stock", client, at["stock"]},
		reviews: backend[Reviews]{"reviews", client, at["reviews"]},
	}
}

// newClient makes a client for servers that get at most calls requests at a time. It keeps as many connections to each, and uses no
// proxy.
func newClient(calls int) *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: calls}}
}

// backend answers questions about products with a T.
type backend[T any] struct {
	name   string
	client *http.Client
	at     *url.URL
}

// get asks the backend about the product of q. It is the body of an await step: ordinary blocking code that returns soon after
// ctx has ended.
func (b backend[T]) get(ctx context.Context, q Query) (answer T, err error) {
	u := b.at.JoinPath(q.SKU)
	u.RawQuery = url.Values{"currency": {q.Currency}}.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return answer, err
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return answer, fault.Wrap(codeOfCall(err), "no answer", err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing more is wanted from the body
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return answer, fault.Wrap(fault.CommError, "the answer broke off", err)
	}
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return answer, fault.New(notFound, "there is no product "+q.SKU)
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		return answer, fault.New(fault.DefenseRejected, resp.Status)
	default:
		return answer, fault.New(badAnswer, "the backend answered "+resp.Status)
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return answer, fault.Wrap(badAnswer, "the answer is no JSON for us", err)
	}
	return answer, nil
}

// codeOfCall returns the code for an error of a call. The code shows whether the backend may have received the request.
func codeOfCall(err error) fault.Code {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fault.ConnectError
	}
	return fault.CommError
}
