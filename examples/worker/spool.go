package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
)

// spool is the folder of the files.
type spool struct{ *os.Root }

// verdict is the result for one file.
type verdict struct {
	name string
	why  string // "" if it was delivered
}

func openSpool(folder string) (*spool, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	return &spool{root}, errors.Join(root.MkdirAll("sent", 0o755), root.MkdirAll("dead", 0o755))
}

// list returns the names of the files that wait, sorted.
func (s *spool) list(context.Context, struct{}) (names []string, err error) {
	entries, err := fs.ReadDir(s.FS(), ".")
	for _, e := range entries {
		if e.Type().IsRegular() && !strings.HasPrefix(e.Name(), ".") {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// settle moves a file to where it belongs. The reason is written first: a dead
// file always has one.
func (s *spool) settle(_ context.Context, v verdict) (verdict, error) {
	to := "sent"
	if v.why != "" {
		to = "dead"
		if err := s.WriteFile(path.Join(to, v.name+".why"), []byte(v.why+"\n"), 0o644); err != nil {
			return v, err
		}
	}
	return v, s.Rename(v.name, path.Join(to, v.name))
}
