module github.com/futoin-go/asyncsteps/durable/sqlite

go 1.26.0

require (
	github.com/futoin-go/asyncsteps v0.0.0
	github.com/futoin-go/asyncsteps/durable v0.0.0
	github.com/robfig/cron/v3 v3.0.1
	modernc.org/sqlite v1.62.0
)

require (
	github.com/dustin/go-humanize v1.1.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/ncruces/go-strftime v1.1.0 // indirect
	github.com/remyoudompheng/bigfft v0.0.0-20230129092748-24d4a6f8daec // indirect
	golang.org/x/sys v0.49.0 // indirect
	modernc.org/libc v1.80.1 // indirect
	modernc.org/mathutil v1.7.1 // indirect
	modernc.org/memory v1.12.1 // indirect
)

replace (
	github.com/futoin-go/asyncsteps => ../..
	github.com/futoin-go/asyncsteps/durable => ../
)
