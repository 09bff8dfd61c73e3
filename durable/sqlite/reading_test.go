package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/futoin-go/asyncsteps/durable"
	"github.com/futoin-go/asyncsteps/durable/sqlite"
)

// A run that couldn't be read goes on by itself when it can be.
func TestUnreadable(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	w := durable.New("waits", durable.Signal[string]("go"))
	told := make(chan error, 10)
	f := openFile(t, filepath.Join(folder, "app.db"), sqlite.Options{OnError: func(err error) { told <- err }}, w)
	run, err := w.Start(t.Context(), f.Engine(), "a", struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	f.Asleep(t)
	f.KeepNoConnections()
	if err = os.Rename(folder, folder+"-away"); err != nil {
		t.Skip(err)
	}
	if err = durable.Send(t.Context(), run, "go", "on"); err != nil {
		t.Error(err)
	}
	if err = <-told; !strings.Contains(err.Error(), "can't be read") {
		t.Errorf("reported: %v", err)
	}
	if err = os.Rename(folder+"-away", folder); err != nil {
		t.Fatal(err)
	}
	if out, err := run.Wait(t.Context()); out != "on" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
	closeFile(t, f)
}

func TestManyWait(t *testing.T) {
	f := openFile(t, filepath.Join(t.TempDir(), "app.db"), sqlite.Options{}, orders)
	defer closeFile(t, f)
	run, err := orders.Start(t.Context(), f.Engine(), "a", order{})
	if err == nil {
		err = durable.Send(t.Context(), run, "approval", approval{"Ann"})
	}
	if err == nil {
		_, err = run.Wait(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	const many = 2000
	begin, done := make(chan struct{}), make(chan error)
	for range many {
		go func() {
			<-begin
			_, err := run.Wait(t.Context())
			done <- err
		}()
	}
	close(begin)
	for range many {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := f.Surplus(); n > 20 {
		t.Errorf("%d connections were opened beyond those that are kept", n)
	}
}
