package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"
)

// slow is a file system whose files take a second to open. It counts the open ones.
type slow struct {
	tree fstest.MapFS

	mu                 sync.Mutex
	opened, open, most int
}

func (s *slow) Open(name string) (fs.File, error) {
	f, err := s.tree.Open(name)
	if s.tree[name] == nil || err != nil { // a folder opens without a wait
		return f, err
	}
	s.mu.Lock()
	s.opened++
	s.open++
	s.most = max(s.most, s.open)
	s.mu.Unlock()
	time.Sleep(time.Second)
	return slowFile{f, s}, nil
}

type slowFile struct {
	fs.File

	of *slow
}

func (f slowFile) Close() error {
	f.of.mu.Lock()
	defer f.of.mu.Unlock()
	f.of.open--
	return f.File.Close()
}

func TestAtMostSomeFilesAreOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		tree := &slow{tree: files(100)}
		var stdout, stderr bytes.Buffer
		if err := run(t.Context(), tree, "x", 4, &stdout, &stderr); err != nil {
			t.Error(err)
		}
		if tree.most != 4 || tree.open != 0 {
			t.Errorf("%d files were open at a time, %d still are", tree.most, tree.open)
		}
		if took := time.Since(began); took != 100/4*time.Second {
			t.Errorf("it took %v", took)
		}
		if n := strings.Count(stdout.String(), "\n"); n != 100 {
			t.Errorf("%d lines", n)
		}
	})
}

// C1, C7: after a cancel the open files are closed before the run ends, no more are opened, and no index is written.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(10500*time.Millisecond, cancel)
		tree := &slow{tree: files(100)}
		var stdout, stderr bytes.Buffer
		err := run(ctx, tree, "x", 4, &stdout, &stderr)
		if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "interrupted after 40 of 100 files: ") {
			t.Errorf("got %v", err)
		}
		if tree.opened != 44 || tree.open != 0 {
			t.Errorf("%d files were opened, %d still are", tree.opened, tree.open)
		}
		if took := time.Since(began); took != 11*time.Second {
			t.Errorf("it took %v", took)
		}
		if stdout.Len() > 0 {
			t.Errorf("an index came out:\n%s", &stdout)
		}
	})
}

func TestCancelWhileListing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tree := &cancelling{tree: files(100), folder: "05", cancel: cancel}
	var stdout, stderr bytes.Buffer
	err := run(ctx, tree, "x", 4, &stdout, &stderr)
	if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "interrupted after 0 of 0 files: ") {
		t.Errorf("got %v", err)
	}
	if tree.last != "05" {
		t.Errorf("it went on to %s", tree.last)
	}
}

// After a cancel in the middle of a large file, no further piece of it is read.
func TestCancelWhileReading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tree := &long{cancel: cancel}
	if _, err := read(ctx, tree, "long"); !errors.Is(err, context.Canceled) || tree.reads != 1 {
		t.Errorf("got %v after %d pieces", err, tree.reads)
	}
}

func TestFilesLeftOut(t *testing.T) {
	tree := files(1)
	tree[".git/HEAD"] = &fstest.MapFile{}
	tree[".hidden"] = &fstest.MapFile{}
	tree["link"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("00/0")}
	names, err := list(t.Context(), tree, ".")
	if got := fmt.Sprint(names); got != "[.hidden 00/0]" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

// A file that can't be read is reported, and the others are read.
func TestUnreadableFile(t *testing.T) {
	var stdout, stderr bytes.Buffer
	err := run(t.Context(), locked{files(3), "00/1"}, "x", 4, &stdout, &stderr)
	if err == nil || err.Error() != "1 of 3 files could not be read" {
		t.Errorf("got %v", err)
	}
	if n := strings.Count(stdout.String(), "\n"); n != 2 || !strings.Contains(stderr.String(), "not read: open 00/1: permission denied\n") {
		t.Errorf("%d lines, said\n%s", n, &stderr)
	}
}
