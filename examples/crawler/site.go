package main

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"regexp"

	"github.com/futoin-go/asyncsteps/fault"
)

const maxPage = 1 << 20

var href = regexp.MustCompile(`href="([^"#]+)`)

// site reads pages over HTTP.
type site struct{ client *http.Client }

// read returns the links of a page to pages of the same host. The error for a status from 300 to 499, as of a missing page, is a
// fault.InvalidRequest, which isn't retried.
func (s site) read(ctx context.Context, page string) ([]string, error) {
	base, err := url.Parse(page)
	if err != nil {
		return nil, fault.Wrap(fault.InvalidRequest, page, err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, page, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, fault.Wrap(fault.CommError, page, err)
	}
	defer func() { _ = resp.Body.Close() }() // nothing more is wanted from the body
	switch {
	case resp.StatusCode >= http.StatusInternalServerError:
		return nil, fault.New(fault.CommError, resp.Status)
	case resp.StatusCode >= http.StatusMultipleChoices:
		return nil, fault.New(fault.InvalidRequest, resp.Status)
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxPage))
	if err != nil {
		return nil, fault.Wrap(fault.CommError, page, err)
	}
	var links []string
	for _, m := range href.FindAllSubmatch(text, -1) {
		// resp.Request is the last request, after redirects.
		if link, err := resp.Request.URL.Parse(string(m[1])); err == nil && link.Host == base.Host {
			if link.Fragment = ""; link.Path == "" {
				link.Path = "/"
			}
			links = append(links, link.String())
		}
	}
	return links, nil
}
