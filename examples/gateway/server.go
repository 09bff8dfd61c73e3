package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

// server is an http.Server that listens, with its address.
type server struct {
	url  *url.URL
	http *http.Server
	done chan error // what Serve returned
}

// serve listens at addr and serves h until shutdown.
func serve(addr string, h http.Handler) (*server, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &server{
		url:  &url.URL{Scheme: "http", Host: l.Addr().String()},
		http: &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second},
		done: make(chan error, 1),
	}
	go func() { s.done <- s.http.Serve(l) }()
	return s, nil
}

// shutdown stops listening, waits for the requests in flight as long as ctx lasts, and closes what is left. A nil server is allowed.
func (s *server) shutdown(ctx context.Context) error {
	if s == nil {
		return nil
	}
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	if served := <-s.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
