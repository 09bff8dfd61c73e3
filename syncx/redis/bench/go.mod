module github.com/futoin-go/asyncsteps/syncx/redis/bench

go 1.26.0

replace github.com/futoin-go/asyncsteps => ../../../

replace github.com/futoin-go/asyncsteps/syncx/redis => ../

require (
	github.com/futoin-go/asyncsteps v0.0.0
	github.com/futoin-go/asyncsteps/syncx/redis v0.0.0
	github.com/redis/go-redis/v9 v9.23.0
	github.com/redis/rueidis v1.0.79
)

require (
	github.com/cespare/xxhash/v2 v2.3.0 // indirect
	github.com/go-redis/redis_rate/v10 v10.0.1 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
)
