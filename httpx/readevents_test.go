package httpx_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/httpx"
)

func eventful(body io.Reader) *http.Response {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, Body: io.NopCloser(body)}
}

func gathered(r *http.Response) (events []string, err error) {
	for event, e := range httpx.ReadEvents(r) {
		if e != nil {
			return events, e
		}
		events = append(events, fmt.Sprintf("%s %s %q", event.Type, event.ID, event.Data))
	}
	return events, nil
}

func TestReadEvents(t *testing.T) {
	long := strings.Repeat("x", 1<<20-len("data: "))
	for _, tt := range []struct{ reason, text, want, err string }{
		{"nothing", "", "[]", ""},
		{"empty lines", "\n\n\r\n", "[]", ""},
		{"one", "data: a\n\n", `[message  "a"]`, ""},
		{"without the space", "data:a\n\n", `[message  "a"]`, ""},
		{"two spaces", "data:  a\n\n", `[message  " a"]`, ""},
		{"lines", "data: a\ndata\ndata: c\n\n", `[message  "a\n\nc"]`, ""},
		{"empty data", "data\n\ndata\ndata\n\n", `[message  "" message  "\n"]`, ""},
		{"types", "event: x\ndata: a\n\ndata: b\n\nevent\ndata: c\n\n", `[x  "a" message  "b" message  "c"]`, ""},
		{"a type without data", "event: x\n\ndata: b\n\n", `[message  "b"]`, ""},
		{"ids stay", "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\nid: x\x00\ndata: d\n\n", `[message 1 "a" message 1 "b" message  "c" message  "d"]`, ""},
		{"an id without data", "id: 1\n\ndata: b\n\n", `[message 1 "b"]`, ""},
		{"comments, retry, unknown fields", ": hello\nretry: 10\nx: y\ndata: a\n: more\n\n", `[message  "a"]`, ""},
		{"ends of lines", "data: a\r\ndata: b\rdata: c\n\r\ndata: d\r\r", `[message  "a\nb\nc" message  "d"]`, ""},
		{"a byte order mark", "\uFEFFdata: a\n\n", `[message  "a"]`, ""},
		{"as long as can be", "data: " + long + "\n\ndata: b\n\n", `[message  "` + long + `" message  "b"]`, ""},
		{"too long", "data: b\n\ndata: x" + long + "\n\n", `[message  "b"]`, "CommError: the events broke off: an event has more than 1048576 bytes"},
		{"comments are not bounded together", strings.Repeat(":"+long[:1<<19]+"\n\n", 3) + "data: a\n\n", `[message  "a"]`, ""},
		{"comments between the lines of an event", strings.Repeat("data: a\n"+strings.Repeat(":"+long[:1<<19]+"\n", 3), 2) + "\n", `[message  "a\na"]`, ""},
		{"a comment that is too long", "data: b\n\n:" + long + long, `[message  "b"]`, "CommError: the events broke off: an event has more than 1048576 bytes"},
		{"an end within an event", "data: a\n\ndata: b\n", `[message  "a"]`, "CommError: the events broke off: the end is within an event"},
		{"an end after a comment", "data: a\n\n: bye\n", `[message  "a"]`, ""},
		{"an end within a comment", "data: a\n\n: bye", `[message  "a"]`, ""},
		{"an end after retry", "data: a\n\nretry: 10\n", `[message  "a"]`, ""},
		{"an end after id", "data: a\n\nid: 2\n", `[message  "a"]`, "CommError: the events broke off: the end is within an event"},
		{"an end within an event after a comment", "data: a\n: bye\n", `[]`, "CommError: the events broke off: the end is within an event"},
		{"an end within a line", "data: a\n\nda", `[message  "a"]`, "CommError: the events broke off: the end is within an event"},
	} {
		for _, body := range []io.Reader{strings.NewReader(tt.text), iotest.OneByteReader(strings.NewReader(tt.text))} {
			got, err := gathered(eventful(body))
			if fmt.Sprint(got) != tt.want {
				t.Errorf("%s: got %.200s, want %.200s", tt.reason, fmt.Sprint(got), tt.want)
			}
			if text := fmt.Sprint(err); text != tt.err && (err != nil || tt.err != "") {
				t.Errorf("%s: got the error %s, want %s", tt.reason, text, tt.err)
			}
		}
	}
}

// An event that ends with \r comes without waiting for a \n.
func TestReadEventsDoesNotWait(t *testing.T) {
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		from, to := io.Pipe()
		go func() { _, _ = io.WriteString(to, "data: a"+end) }()
		n := 0
		for event, err := range httpx.ReadEvents(eventful(from)) {
			if err != nil || event.Data != "a" {
				t.Error(event, err)
			}
			n++
			break
		}
		if n != 1 {
			t.Errorf("%q: %d events", end, n)
		}
		_ = from.Close()
	}
}

var errTunnel = fmt.Errorf("the tunnel has broken: %w", io.EOF)

func TestReadEventsFails(t *testing.T) {
	notFound := eventful(strings.NewReader("data: a\n\n"))
	notFound.StatusCode, notFound.Request = 404, get(t, "http://shop.example/")
	page := eventful(strings.NewReader("data: a\n\n"))
	page.Header.Set("Content-Type", "text/html")
	for reason, tt := range map[string]struct {
		r      *http.Response
		events int
		is     error
	}{
		"a status":                 {notFound, 0, fault.CommError},
		"another kind":             {page, 0, fault.CommError},
		"breaks off":               {eventful(io.MultiReader(strings.NewReader("data: a\n\n"), failing{})), 1, io.ErrUnexpectedEOF},
		"an EOF of something else": {eventful(io.MultiReader(strings.NewReader("data: a\n\n"), iotest.ErrReader(errTunnel))), 1, errTunnel},
	} {
		got, err := gathered(tt.r)
		if len(got) != tt.events || !errors.Is(err, tt.is) || fault.CodeOf(err) != fault.CommError {
			t.Errorf("%s: %v, %v", reason, got, err)
		}
	}
	if _, ok := fault.AsType[*httpx.StatusError](func() error { _, err := gathered(notFound); return err }()); !ok {
		t.Error("a status is no StatusError")
	}
}

func TestReadEventsOfCutConnection(t *testing.T) {
	for _, version := range []int{1, 2} {
		s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: a\n\n")
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}), version)
		got, err := gathered(stream(t.Context(), t, s, ""))
		if fmt.Sprint(got) != `[message  "a"]` || fault.CodeOf(err) != fault.CommError {
			t.Errorf("HTTP/%d: %v, %v", version, got, err)
		}
	}
}
