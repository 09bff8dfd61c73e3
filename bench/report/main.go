// Command report makes the page of results and its pictures from the output of the benchmarks. report FOLDER reads raw.txt
// there, or in ../docs/benchmarks without FOLDER, and writes results.md and the SVG files beside it. The same figures give the
// same page.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	folder := filepath.Join("..", "docs", "benchmarks")
	switch len(args) {
	case 0:
	case 1:
		folder = args[0]
	default:
		return errors.New("usage: report [FOLDER]")
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	return errors.Join(report(root), root.Close())
}

func report(folder *os.Root) error {
	file, err := folder.Open("raw.txt")
	if err != nil {
		return err
	}
	f, err := read(file, file.Name())
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	var page bytes.Buffer
	if err := write(&page, f); err != nil {
		return err
	}
	if err := folder.WriteFile("results.md", page.Bytes(), 0o644); err != nil {
		return err
	}
	for _, c := range charts {
		if err := c.draw(f, folder); err != nil {
			return err
		}
	}
	return nil
}
