package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/fault"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/internal/leaktest"
	"github.com/futoin-go/asyncsteps/step"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// The last two events of a whole answer of the fake model.
const (
	usage = `{"choices":[],"usage":{"total_tokens":10}}`
	done  = "[DONE]"
)

func texts(parts ...string) (events []string) {
	for _, p := range parts {
		events = append(events, fmt.Sprintf(`{"choices":[{"delta":{"content":%q}}]}`, p))
	}
	return append(events, usage, done)
}

func wants(calls ...string) (events []string) {
	for i, c := range calls {
		name, city, _ := strings.Cut(c, " ")
		events = append(events,
			fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"call-%d","type":"function","function":{"name":%q,"arguments":""}}]}}]}`, i, i, name),
			fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"index":%d,"function":{"arguments":"{\"city\":"}}]}}]}`, i),
			fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"index":%d,"function":{"arguments":"\"%s\"}"}}]}}]}`, i, city))
	}
	return append(events, usage, done)
}

// world is the surroundings of an agent in a test: its model, its tools and its human.
type world struct {
	t     *testing.T
	model *model
	box   *toolbox
	tool  func(ctx context.Context, name, city string) (string, error) // what the tools do

	mu       sync.Mutex
	answers  [][]string // of the model, in turn; nil for a status of 503
	asked    []Talk     // the requests to the model
	said     string
	called   []string // tools and their arguments
	approved []string // calls that the human was asked about
	yes      bool     // the human's answer
}

func newWorld(t *testing.T, answers ...[]string) *world {
	t.Helper()
	w := &world{t: t, answers: answers, yes: true, tool: func(_ context.Context, _, city string) (string, error) { return city + ": 20", nil }}
	server := httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(server.Close)
	client := newClient()
	t.Cleanup(client.CloseIdleConnections)
	w.model = &model{url: server.URL, name: "fake", client: client, say: func(text string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.said += text
	}}
	w.connect()
	return w
}

// serve answers as the model.
func (w *world) serve(out http.ResponseWriter, r *http.Request) {
	var asked struct {
		Messages []Message `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || r.URL.Path != "/chat/completions" {
		w.t.Errorf("%s: %v", r.URL, err)
	}
	w.mu.Lock()
	w.asked = append(w.asked, Talk{Messages: asked.Messages})
	events := w.answers[min(len(w.asked), len(w.answers))-1]
	w.mu.Unlock()
	if events == nil {
		http.Error(out, "busy", http.StatusServiceUnavailable)
		return
	}
	out.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		if e == "hang" {
			<-r.Context().Done()
			return
		}
		fmt.Fprintf(out, "data: %s\n\n", e)
		_ = http.NewResponseController(out).Flush()
	}
}

// connect serves the tools in this process: weather changes nothing, book does.
func (w *world) connect() {
	w.t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "tools", Version: "v0.1.0"}, nil)
	type in struct {
		City string `json:"city"`
	}
	for name, readOnly := range map[string]bool{"weather": true, "book": false} {
		tool := &mcp.Tool{Name: name, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: readOnly}}
		mcp.AddTool(server, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in in) (*mcp.CallToolResult, any, error) {
			w.mu.Lock()
			w.called = append(w.called, name+" "+in.City)
			w.mu.Unlock()
			text, err := w.tool(ctx, name, in.City)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, err
		})
	}
	here, there := mcp.NewInMemoryTransports()
	served, err := server.Connect(w.t.Context(), there, nil)
	if err == nil {
		w.box, err = open(w.t.Context(), here)
	}
	if err == nil {
		w.model.tools, err = w.box.specs()
	}
	if err != nil || len(w.model.tools) != 2 {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = w.box.session.Close(); _ = served.Wait() })
}

func (w *world) ask(_ context.Context, c Call) (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.approved = append(w.approved, c.Function.Name)
	return w.yes, nil
}

// talk lets an agent answer on a file, and returns the text of its answers.
func (w *world) talk(ctx context.Context, path string, tokens int) (string, error) {
	w.t.Helper()
	return w.talkFor(ctx, path, tokens, time.Hour)
}

func (w *world) talkFor(ctx context.Context, path string, tokens int, limit time.Duration) (string, error) {
	w.t.Helper()
	a := newAgent(w.model, w.box, w.ask, limit)
	if err := a.Err(); err != nil {
		w.t.Fatal(err)
	}
	err := a.talk(ctx, path, "talk-1", Talk{Messages: []Message{{Role: "user", Content: "warm?"}}, Tokens: tokens})
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.said, err
}

func (w *world) want(what string, got []string, want string) {
	w.t.Helper()
	if fmt.Sprint(got) != want {
		w.t.Errorf("%s: %q, want %s", what, got, want)
	}
}

func file(t *testing.T) string { return filepath.Join(t.TempDir(), "agent.db") }

// A turn has two tools side by side, one of which needs a human; then the answer follows.
func TestTalk(t *testing.T) {
	w := newWorld(t, wants("weather Oslo", "book Rome"), texts("It is ", "warm."))
	var both sync.WaitGroup // they run at the same time
	both.Add(2)
	w.tool = func(_ context.Context, name, city string) (string, error) {
		both.Done()
		both.Wait()
		return name + " of " + city, nil
	}
	said, err := w.talk(t.Context(), file(t), 1000)
	if said != "It is warm." || err != nil {
		t.Errorf("%q %v", said, err)
	}
	w.want("approved", w.approved, "[book]")
	var told []string
	for _, m := range w.asked[1].Messages {
		told = append(told, strings.TrimSpace(m.Role+" "+m.CallID+" "+m.Content))
	}
	w.want("the second question", told, "[user  warm? assistant tool call-0 weather of Oslo tool call-1 book of Rome]")
}

// The model is told that a tool has failed, or that a call was refused, and then answers.
func TestTalkTrouble(t *testing.T) {
	for _, tt := range []struct {
		reason string
		calls  []string
		yes    bool
		fails  error
		told   string
	}{
		{"a tool that fails", []string{"weather Oslo"}, true, errors.New("no wind"), "error: no wind"},
		{"a human who says no", []string{"book Oslo"}, false, nil, "error: the user has refused this call"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			w := newWorld(t, wants(tt.calls...), texts("Sorry."))
			w.yes = tt.yes
			w.tool = func(context.Context, string, string) (string, error) { return "", tt.fails }
			if said, err := w.talk(t.Context(), file(t), 1000); said != "Sorry." || err != nil {
				t.Errorf("%q %v", said, err)
			}
			if got := w.asked[1].Messages[2].Content; got != tt.told {
				t.Errorf("the model was told %q", got)
			}
		})
	}
}

func TestUnknownTool(t *testing.T) {
	w := newWorld(t, wants("fly Oslo"), texts("Sorry."))
	if said, err := w.talk(t.Context(), file(t), 1000); said != "Sorry." || err != nil {
		t.Errorf("%q %v", said, err)
	}
	if got := w.asked[1].Messages[2].Content; !strings.HasPrefix(got, "error: ") || !strings.Contains(got, "fly") {
		t.Errorf("the model was told %q", got)
	}
}

// The budget of tokens ends a talk in which the model keeps asking for tools.
func TestTokens(t *testing.T) {
	w := newWorld(t, wants("weather Oslo"))
	if _, err := w.talk(t.Context(), file(t), 25); fault.CodeOf(err) != "Tokens" || len(w.asked) != 3 || len(w.called) != 2 {
		t.Errorf("%v after %d questions and %d calls", err, len(w.asked), len(w.called))
	}
}

// A model that is busy, and one whose answer breaks off, are asked again; the human sees that the text begins anew.
func TestModelAgain(t *testing.T) {
	w := newWorld(t, nil, texts("It is ")[:1], texts("It is warm."))
	was := patience.Pause
	patience.Pause = 0
	defer func() { patience.Pause = was }()
	said, err := w.talk(t.Context(), file(t), 1000)
	if said != "\n[attempt 2]\nIt is \n[attempt 3]\nIt is warm." || err != nil {
		t.Errorf("%q %v", said, err)
	}
}

// A program that ends in the middle of a turn repeats neither a tool call that has succeeded nor a question.
func TestCrash(t *testing.T) {
	w := newWorld(t, wants("weather Oslo", "weather Rome"), texts("It is warm."))
	path := file(t)
	ctx, crash := context.WithCancel(t.Context())
	oslo := make(chan struct{})
	w.tool = func(call context.Context, _, city string) (string, error) {
		if city == "Oslo" {
			defer close(oslo)
			return "20", nil
		}
		<-oslo
		stored(t, path, `"content":"20"`)
		crash()
		<-call.Done()
		return "", call.Err()
	}
	if _, err := w.talk(ctx, path, 1000); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	w.tool = func(_ context.Context, _, city string) (string, error) { return city + ": 30", nil }
	said, err := w.talk(t.Context(), path, 1000)
	if said != "It is warm." || err != nil || len(w.asked) != 2 {
		t.Errorf("%q %v after %d questions", said, err, len(w.asked))
	}
	times := map[string]int{}
	for _, c := range w.called {
		times[c]++
	}
	if times["weather Oslo"] != 1 || times["weather Rome"] != 2 {
		t.Errorf("called %v", times)
	}
}

// A talk can't go on with another limit, which is a part of the plan: the program says so, and ends.
func TestAnotherLimit(t *testing.T) {
	w := newWorld(t, []string{`{"choices":[{"delta":{"content":"It"}}]}`, "hang"})
	path := file(t)
	ctx, crash := context.WithCancel(t.Context())
	say := w.model.say
	w.model.say = func(text string) { say(text); crash() }
	if _, err := w.talk(ctx, path, 1000); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := w.talkFor(t.Context(), path, 1000, 2*time.Hour); err == nil || !strings.Contains(err.Error(), "limit 1h0m0s → 2h0m0s") {
		t.Error(err)
	}
}

func stored(t *testing.T, path, text string) {
	t.Helper()
	operator, err := sqlite.Operate(t.Context(), path)
	if err != nil {
		t.Error(err)
		return
	}
	defer operator.Close()
	for t.Context().Err() == nil {
		history, err := operator.History(t.Context(), "talk-1")
		if err != nil {
			t.Error(err)
			return
		}
		all, err := json.Marshal(history)
		if err != nil || strings.Contains(string(all), text) {
			return
		}
	}
}

// Ctrl-C in the middle of an answer ends the request; leaktest finds goroutines that are left.
func TestCancel(t *testing.T) {
	w := newWorld(t, []string{`{"choices":[{"delta":{"content":"It"}}]}`, "hang"})
	ctx, cancel := context.WithCancel(t.Context())
	say := w.model.say
	w.model.say = func(text string) { say(text); cancel() }
	if said, err := w.talk(ctx, file(t), 1000); said != "It" || !errors.Is(err, context.Canceled) {
		t.Errorf("%q %v", said, err)
	}
}

// The same plan works without a file, by flow.Run.
func TestPlanAlone(t *testing.T) {
	w := newWorld(t, texts("Yes."))
	do := effects{w.model.ask(), step.Map(func(c []Call) []Call { return c }), step.Await(w.box.call)}
	talk, err := flow.Run(t.Context(), newPlan(do, time.Minute, 4), Talk{Messages: []Message{{Role: "user", Content: "warm?"}}, Tokens: 100})
	if err != nil || talk.last().Content != "Yes." || talk.Tokens != 90 {
		t.Errorf("%v %v", talk, err)
	}
}

func TestAsking(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, "n\n": false, "\n": false, "": false, "yes\n": false} {
		var out strings.Builder
		yes, err := asking(bufio.NewReader(strings.NewReader(answer)), &out)(t.Context(), Call{ToolCall: ToolCall{Function: Function{"book", "{}"}}})
		if yes != want || err != nil || out.String() != "\ncall book {}? [y/N] " {
			t.Errorf("%q: %t %v %q", answer, yes, err, out.String())
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"question"}, {"-tools", "x"}, {"-none"}} {
		if err := command(t.Context(), args, strings.NewReader(""), io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
