package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// No file takes the place of another one.
func TestNothingIsOverwritten(t *testing.T) {
	contents := func(t *testing.T, folder string, want map[string]string) {
		t.Helper()
		for name, text := range want {
			if got, err := os.ReadFile(filepath.Join(folder, name)); string(got) != text {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
	t.Run("a dead file called like the reason of another one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			folder := newSpool(t, "a", "a.why")
			runWorker(t, time.Second, folder, &server{answer: always(422)})
			wantFolders(t, folder, " |  | a a.why a.why.1 a.why.1.why")
			contents(t, filepath.Join(folder, "dead"), map[string]string{
				"a": "content of a", "a.why.1": "content of a.why",
				"a.why": "Refused: 422 Unprocessable Entity\n", "a.why.1.why": "Refused: 422 Unprocessable Entity\n",
			})
		})
	})
	t.Run("the reason of a file called like another dead one", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			folder := newSpool(t, "b.why")
			runWorker(t, time.Second, folder, &server{answer: always(422)})
			put(t, folder, "b")
			runWorker(t, time.Second, folder, &server{answer: always(422)})
			wantFolders(t, folder, " |  | b.1 b.1.why b.why b.why.why")
			contents(t, filepath.Join(folder, "dead"), map[string]string{"b.why": "content of b.why", "b.1": "content of b"})
		})
	})
	t.Run("a name that comes again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			folder := newSpool(t)
			for _, status := range []int{422, 200, 422, 200} {
				put(t, folder, "a")
				runWorker(t, time.Second, folder, &server{answer: always(status)})
			}
			wantFolders(t, folder, " | a a.1 | a a.1 a.1.why a.why")
		})
	})
}

// A file that can't be read stays where it is, because nobody has refused it. The others are delivered.
func TestUnreadableFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		folder := newSpool(t, "a", "b", "c")
		s := &server{answer: func(_ context.Context, name string, _ int) (int, error) {
			if name == "a" { // a folder in place of a file can't be read
				if err := os.Remove(filepath.Join(folder, "b")); err != nil {
					return 0, err
				}
				return 200, os.Mkdir(filepath.Join(folder, "b"), 0o700)
			}
			return 200, nil
		}}
		runWorker(t, time.Second, folder, s)
		wantFolders(t, folder, " | a c | ")
		s.wantCalls(t, "a at 0", "c at 0")
	})
}
