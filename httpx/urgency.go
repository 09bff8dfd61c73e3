package httpx

import (
	"net/http"
	"strings"
)

const usual = 3

// Urgency returns the priority of a request by the header Priority of RFC 9218: u=0, the most urgent, is 3, and u=7 is -4. A
// request without the header, or with a header that has no such u, has the usual urgency u=3, whose priority is 0. Any goroutine
// may call it.
func Urgency(r *http.Request) int {
	urgency := usual
	for _, line := range r.Header.Values("Priority") {
		for member := range strings.SplitSeq(line, ",") {
			member, _, _ = strings.Cut(member, ";") // parameters of the member
			key, value, _ := strings.Cut(strings.TrimSpace(member), "=")
			if key == "u" && len(value) == 1 && value[0] >= '0' && value[0] <= '7' {
				urgency = int(value[0] - '0')
			}
		}
	}
	return usual - urgency
}
