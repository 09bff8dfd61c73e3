package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/futoin-go/asyncsteps/fault"
)

// exchange is one line of data/requests.jsonl: a request and the expected answer.
type exchange struct {
	Request string          `json:"request"` // method and target
	Status  int             `json:"status"`
	Answer  json.RawMessage `json:"answer"` // compared by value, not by its spaces and order
}

// outcome is the result of an exchange.
type outcome struct {
	exchange
	status int // 0 if there is no answer
	body   []byte
	err    error // why there is no answer
	took   time.Duration
}

func (e exchange) send(client *http.Client, url string) outcome {
	o := outcome{exchange: e}
	method, target, _ := strings.Cut(e.Request, " ")
	// Not with the context of the replay: requests in flight are answered even when that context ends.
	req, err := http.NewRequestWithContext(context.Background(), method, url+target, http.NoBody)
	if err != nil {
		o.err = err
		return o
	}
	began := time.Now()
	resp, err := client.Do(req)
	if err != nil {
		o.err = err
		return o
	}
	defer func() { _ = resp.Body.Close() }() // the body has been read
	if o.body, o.err = io.ReadAll(resp.Body); o.err == nil {
		o.status = resp.StatusCode
	}
	o.took = time.Since(began)
	return o
}

// problem returns how the outcome differs from the expected one, or "".
func (o outcome) problem() string {
	var got, want any
	switch {
	case o.err != nil:
		return fmt.Sprintf("%s: %v", o.Request, o.err)
	case o.status != o.Status:
	case json.Unmarshal(o.Answer, &want) != nil:
		return o.Request + ": no answer to expect"
	case json.Unmarshal(o.body, &got) == nil && reflect.DeepEqual(got, want):
		return ""
	}
	return fmt.Sprintf("%s\n  want %d %s\n  got  %d %s", o.Request, o.Status, o.Answer, o.status, bytes.TrimSpace(o.body))
}

// rejected returns why the gateway had no room for the request; "" for other outcomes.
func (o outcome) rejected() string {
	var r Refused
	if o.status != http.StatusTooManyRequests || json.Unmarshal(o.body, &r) != nil {
		return ""
	}
	return r.Error.Info
}

// kind returns a short text for the outcome: "200", "200 stock: Timeout", "429" and the reason, or the text of err.
func (o outcome) kind() string {
	if o.err != nil {
		return o.err.Error()
	}
	words := []string{strconv.Itoa(o.status)}
	if why := o.rejected(); why != "" {
		words = append(words, why)
	}
	missed := o.fallbacks()
	for _, part := range slices.Sorted(maps.Keys(missed)) {
		words = append(words, fmt.Sprintf("%s: %s", part, missed[part]))
	}
	return strings.Join(words, " ")
}

func (o outcome) fallbacks() map[string]fault.Code {
	var p Page
	if json.Unmarshal(o.body, &p) != nil {
		return nil
	}
	return p.Fallbacks
}
