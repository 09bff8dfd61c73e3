package debug

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

var errHost = &refusal{http.StatusMisdirectedRequest, "these pages aren't served under that name: see Options.Hosts"}

// servedAs reports whether pages may be asked for under the Host of r.
//
// The owner of another name can make that name resolve to the address of this server. A browser then takes requests of a page
// under that name for requests of the same origin. So only the names in Hosts, and local ones, are accepted. IP addresses are
// accepted too, because they aren't resolved.
func (o Options) servedAs(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	return slices.ContainsFunc(o.Hosts, func(allowed string) bool {
		allowed = strings.ToLower(allowed)
		return allowed == "*" || host != "" && (allowed == host || allowed[:min(1, len(allowed))] == "." && strings.HasSuffix(host, allowed))
	})
}
