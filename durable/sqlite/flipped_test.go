package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
	"github.com/futoin-go/asyncsteps/flow"
	"github.com/futoin-go/asyncsteps/step"
)

func TestFlippedBits(t *testing.T) {
	long := step.Await(func(_ context.Context, s string) (string, error) { return s + strings.Repeat("ab", 100), nil })
	w := durable.New("long", flow.Then(flow.Then(flow.Then(long, step.Map(func(string) struct{} { return struct{}{} })), durable.Signal[string]("go")), long))
	lives := func(i int) string { return fmt.Sprintf("lives-%d", i) }
	ended := func(i int) string { return fmt.Sprintf("ended-%d", i) }
	want := "go" + strings.Repeat("ab", 100)
	const runs = 20

	dir := t.TempDir()
	path := filepath.Join(dir, "app.db")
	f := openFile(t, path, sqlite.Options{}, w)
	for i := range runs {
		for _, id := range []string{lives(i), ended(i)} {
			if _, err := w.Start(t.Context(), f.Engine(), id, ""); err != nil {
				t.Fatal(err)
			}
		}
		if err := durable.Send(t.Context(), w.Attach(f.Engine(), ended(i)), "go", "go"); err != nil {
			t.Fatal(err)
		}
		if out, err := w.Attach(f.Engine(), ended(i)).Wait(t.Context()); out != want || err != nil {
			t.Fatalf("got %q, %v", out, err)
		}
	}
	closeFile(t, f)
	whole := read(t, path)

	right, refused := 0, 0
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 0))
		data := append([]byte(nil), whole...)
		for range 20 {
			data[random.IntN(len(data))] ^= 1 << random.IntN(8)
		}
		path := filepath.Join(dir, fmt.Sprintf("flipped-%d.db", seed))
		write(t, path, data)
		f, err := sqlite.Open(t.Context(), path, sqlite.Options{OnError: func(error) {}}, w)
		if err != nil {
			refused++
			continue
		}
		for i := range runs {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			_ = durable.Send(ctx, w.Attach(f.Engine(), lives(i)), "go", "go")
			for _, id := range []string{ended(i), lives(i)} {
				switch out, err := w.Attach(f.Engine(), id).Wait(ctx); {
				case err != nil:
				case out == want:
					right++
				default:
					t.Errorf("seed %d: %s has the result %q", seed, id, out)
				}
			}
			cancel()
		}
		if err := f.Close(t.Context()); err != nil && !errors.Is(err, context.Canceled) {
			t.Logf("seed %d: %v", seed, err)
		}
	}
	if t.Logf("%d results are right, %d files can't be opened", right, refused); right == 0 {
		t.Error("no file was read")
	}
}
