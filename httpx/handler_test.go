package httpx_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/httpx"
	"github.com/futoin-go/asyncsteps/internal/plantest"
	"github.com/futoin-go/asyncsteps/step"
	"github.com/futoin-go/asyncsteps/tool"
)

type order struct {
	Item string `json:"item"`
	N    int    `json:"n"`
}

type receipt struct {
	Text string `json:"text"`
}

var sell = step.Func(func(_ step.Scope, o order) (receipt, error) {
	switch o.Item {
	case "unicorn":
		return receipt{}, httpx.WithStatus(http.StatusNotFound, fault.New("NoItem", "no unicorn here"))
	case "broken":
		panic("a defect")
	case "mine":
		return receipt{}, fault.New(fault.CommError, "a secret address")
	}
	return receipt{fmt.Sprint(o.N, " ", o.Item)}, nil
})

func ask(t *testing.T, h http.Handler, body string) (status int, header http.Header, text string) {
	t.Helper()
	s := httptest.NewServer(h)
	defer s.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text = read(t, a)
	return a.StatusCode, a.Header, strings.TrimSpace(text)
}

func TestHandler(t *testing.T) {
	group := tool.NewGroup(2, tool.Options{})
	defer group.Shutdown(context.Background())
	for name, h := range map[string]http.Handler{
		"Handler":   httpx.Handler(sell, httpx.ReadRequest[order](100), httpx.WriteJSON[receipt]),
		"HandlerOn": httpx.HandlerOn(group, sell, httpx.ReadRequest[order](100), httpx.WriteJSON[receipt]),
	} {
		for _, tt := range []struct {
			reason, body string
			status       int
			want         string
		}{
			{"a result", `{"item":"teapot","n":2}`, 200, `{"text":"2 teapot"}`},
			{"a status of the step's", `{"item":"unicorn"}`, 404, `{"title":"Not Found","status":404,"detail":"no unicorn here"}`},
			{"a panic", `{"item":"broken"}`, 500, `{"title":"Internal Server Error","status":500}`},
			{"what isn't the client's fault isn't shown", `{"item":"mine"}`, 502, `{"title":"Bad Gateway","status":502}`},
			{"two values", `{"item":"teapot"} {}`, 400, `{"title":"Bad Request","status":400,"detail":"the body is not the JSON that is expected: a second value follows"}`},
			{"trailing text", `{"item":"teapot"} x`, 400, ""},
			{"no JSON", `teapot`, 400, ""},
			{"nothing", ``, 400, ""},
			{"white space", `  `, 400, ""},
			{"another type", `{"n":"two"}`, 400, ""},
			{"too long", `{"item":"` + strings.Repeat("x", 100) + `"}`, 413, `{"title":"Request Entity Too Large","status":413,"detail":"the body is too long"}`},
			{"too long behind its value", `{"item":"teapot"}` + strings.Repeat(" ", 100), 413, ""},
		} {
			status, header, text := ask(t, h, tt.body)
			if status != tt.status || tt.want != "" && text != tt.want {
				t.Errorf("%s, %s: %d %s, want %d %s", name, tt.reason, status, text, tt.status, tt.want)
			}
			if kind := header.Get("Content-Type"); (kind == "application/json") != (status == 200) || !json.Valid([]byte(text)) {
				t.Errorf("%s, %s: %s", name, tt.reason, kind)
			}
		}
	}
}

// If the client goes away the run is cancelled.
func TestHandlerClientGoesAway(t *testing.T) {
	group := tool.NewGroup(1, tool.Options{})
	defer group.Shutdown(context.Background())
	for _, on := range []*tool.Group{nil, group} {
		reached, ended := make(chan struct{}), make(chan error, 1)
		stage := step.Await(func(ctx context.Context, _ order) (receipt, error) {
			close(reached)
			<-ctx.Done()
			return receipt{}, ctx.Err()
		})
		encode := func(_ http.ResponseWriter, _ *http.Request, _ receipt, err error) { ended <- err }
		h := httpx.Handler(stage, httpx.ReadRequest[order](100), encode)
		if on != nil {
			h = httpx.HandlerOn(on, stage, httpx.ReadRequest[order](100), encode)
		}
		s := httptest.NewServer(h)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-reached
			cancel()
		}()
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Client().Do(r); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := <-ended; fault.CodeOf(err) != fault.Cancelled {
			t.Errorf("encode got %v", err)
		}
		s.Close()
	}
}

func TestHandlerOnShutDownLoop(t *testing.T) {
	group := tool.NewGroup(1, tool.Options{})
	group.Shutdown(context.Background())
	status, header, _ := ask(t, httpx.HandlerOn(group, sell, httpx.ReadRequest[order](100), httpx.WriteJSON[receipt]), "{}")
	if status != 503 || header.Get("Retry-After") != "1" {
		t.Errorf("%d %v", status, header)
	}
}

func TestHandlerNotWellFormed(t *testing.T) {
	read, write := httpx.ReadRequest[order](100), httpx.WriteJSON[receipt]
	for reason, h := range map[string]http.Handler{
		"a nil stage":  httpx.Handler[order, receipt](nil, read, write),
		"a bad plan":   httpx.Handler(plantest.Refused[order, receipt](), read, write),
		"a nil decode": httpx.Handler(sell, nil, write),
		"a nil encode": httpx.Handler(sell, read, nil),
		"a nil group":  httpx.HandlerOn(nil, sell, read, write),
	} {
		if status, _, text := ask(t, h, "{}"); status != 500 {
			t.Errorf("%s: %d %s", reason, status, text)
		}
	}
}

func TestReadRequestLimits(t *testing.T) {
	for _, limit := range []int64{0, -1} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("1"))
		if _, err := httpx.ReadRequest[int](limit)(r); httpx.Status(err) != 413 {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	r := httptest.NewRequest(http.MethodPost, "/", io.MultiReader(strings.NewReader("12"), failing{}))
	if _, err := httpx.ReadRequest[int](100)(r); !errors.Is(err, io.ErrUnexpectedEOF) || httpx.Status(err) != 400 {
		t.Errorf("a body that breaks off: %v", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestWriteJSONOfWhatCannotBe(t *testing.T) {
	w := httptest.NewRecorder()
	httpx.WriteJSON(w, nil, make(chan int), nil)
	if w.Code != 500 || !strings.Contains(w.Body.String(), "Internal Server Error") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestWriteJSONStatus(t *testing.T) {
	for _, tt := range []struct {
		status int
		err    error
		want   int
		text   string
	}{
		{202, nil, 202, `{"text":"sold"}`},
		{299, nil, 299, `{"text":"sold"}`},
		{202, fault.DefenseRejected, 429, `{"title":"Too Many Requests","status":429}`},
		{199, nil, 500, `{"title":"Internal Server Error","status":500}`},
		{300, nil, 500, `{"title":"Internal Server Error","status":500}`},
		{0, fault.DefenseRejected, 429, `{"title":"Too Many Requests","status":429}`},
	} {
		w := httptest.NewRecorder()
		httpx.WriteJSONStatus[receipt](tt.status)(w, nil, receipt{Text: "sold"}, tt.err)
		kind := w.Header().Get("Content-Type")
		if text := strings.TrimSpace(w.Body.String()); w.Code != tt.want || text != tt.text || (kind == "application/json") != (tt.want < 300) {
			t.Errorf("%d, %v: %d %s %s", tt.status, tt.err, w.Code, kind, text)
		}
	}
}

func TestHandlerDecodeErrorsWithCodes(t *testing.T) {
	for err, want := range map[error]int{
		fault.SecurityError: httpx.Status(fault.SecurityError),
		fmt.Errorf("who are you? %w", fault.PleaseReauth): httpx.Status(fault.PleaseReauth),
		fault.InternalError:      http.StatusInternalServerError,
		context.DeadlineExceeded: httpx.Status(fault.Timeout),
		errors.New("no number"):  http.StatusBadRequest,
	} {
		h := httpx.Handler(step.Map(func(n int) int { return n }), func(*http.Request) (int, error) { return 0, err }, httpx.WriteJSON[int])
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)); w.Code != want {
			t.Errorf("%v: the status is %d, want %d", err, w.Code, want)
		}
	}
}
