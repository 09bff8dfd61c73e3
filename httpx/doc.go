// Package httpx connects plans with net/http: requests that are repeated, hedged, limited and
// guarded, steps that call JSON services, and handlers that answer with the result of a plan.
//
// For a client, [NewTransport] puts a [Policy] around any http.RoundTripper:
//
//	client := &http.Client{Transport: httpx.NewTransport(nil, httpx.Policy{
//		Retry:   retry.Policy{Tries: 4, Pause: 100 * time.Millisecond, Factor: 2, Jitter: 1},
//		Limit:   2 * time.Second,
//		PerHost: []func(string) syncx.Guard{breaker},
//	})}
//
// [GetJSON], [PostJSON] and [Call] make steps of a client, and [NewJSONRequest] makes a request. [CallEvents] and [ReadEvents] read
// an answer of server-sent events. [Download] fetches a file, and resumes a download that broke off. For a server, [Handler]
// answers requests by runs of a plan, [Events] sends the values that a run hands out as server-sent events, [Sync] puts a guard in
// front of any handler, [Status] returns the HTTP status of an error, and [WriteError] answers with it. [Serve] runs a server until
// a context ends, and stops it gently.
package httpx
