package checks

// blocks names functions of other packages that may block.
var blocks = set(
	"time.Sleep", "fmt.Scan", "fmt.Scanf", "fmt.Scanln",
	"(*sync.WaitGroup).Wait", "(*sync.Cond).Wait", "(*golang.org/x/sync/errgroup.Group).Wait",
	"(*golang.org/x/sync/semaphore.Weighted).Acquire",

	"flow.Run", "(flow.Plan).Run", "(*flow.Running).Wait",

	"net.Dial", "net.DialTimeout", "(*net.Dialer).Dial", "(*net.Dialer).DialContext",
	"net.LookupAddr", "net.LookupCNAME", "net.LookupHost", "net.LookupIP", "net.LookupMX", "net.LookupNS",
	"net.LookupPort", "net.LookupSRV", "net.LookupTXT",
	"(*net.Resolver).LookupAddr", "(*net.Resolver).LookupCNAME", "(*net.Resolver).LookupHost",
	"(*net.Resolver).LookupIP", "(*net.Resolver).LookupIPAddr", "(*net.Resolver).LookupNetIP",
	"(*net.Resolver).LookupSRV", "(*net.Resolver).LookupTXT",
	"(net.Conn).Read", "(net.Conn).Write", "(net.Listener).Accept", "(net.PacketConn).ReadFrom",
	"(*net.TCPConn).Read", "(*net.TCPConn).Write", "(*net.TCPListener).Accept", "(*net.TCPListener).AcceptTCP",
	"(*net.UDPConn).Read", "(*net.UDPConn).ReadFrom", "(*net.UDPConn).ReadFromUDP",
	"(*crypto/tls.Conn).Handshake", "(*crypto/tls.Conn).HandshakeContext", "crypto/tls.Dial",

	"net/http.Get", "net/http.Head", "net/http.Post", "net/http.PostForm",
	"(*net/http.Client).Do", "(*net/http.Client).Get", "(*net/http.Client).Head",
	"(*net/http.Client).Post", "(*net/http.Client).PostForm", "(net/http.RoundTripper).RoundTrip",
	"net/http.ListenAndServe", "net/http.ListenAndServeTLS", "net/http.Serve",
	"(*net/http.Server).ListenAndServe", "(*net/http.Server).ListenAndServeTLS", "(*net/http.Server).Serve",
	"(*net/http.Server).Shutdown",

	"(*database/sql.DB).Begin", "(*database/sql.DB).BeginTx", "(*database/sql.DB).Conn",
	"(*database/sql.DB).Exec", "(*database/sql.DB).ExecContext", "(*database/sql.DB).Ping",
	"(*database/sql.DB).PingContext", "(*database/sql.DB).Prepare", "(*database/sql.DB).PrepareContext",
	"(*database/sql.DB).Query", "(*database/sql.DB).QueryContext", "(*database/sql.DB).QueryRow",
	"(*database/sql.DB).QueryRowContext",
	"(*database/sql.Conn).BeginTx", "(*database/sql.Conn).ExecContext", "(*database/sql.Conn).PingContext",
	"(*database/sql.Conn).PrepareContext", "(*database/sql.Conn).QueryContext", "(*database/sql.Conn).QueryRowContext",
	"(*database/sql.Tx).Commit", "(*database/sql.Tx).Exec", "(*database/sql.Tx).ExecContext",
	"(*database/sql.Tx).Prepare", "(*database/sql.Tx).PrepareContext", "(*database/sql.Tx).Query",
	"(*database/sql.Tx).QueryContext", "(*database/sql.Tx).QueryRow", "(*database/sql.Tx).QueryRowContext",
	"(*database/sql.Tx).Rollback",
	"(*database/sql.Stmt).Exec", "(*database/sql.Stmt).ExecContext", "(*database/sql.Stmt).Query",
	"(*database/sql.Stmt).QueryContext", "(*database/sql.Stmt).QueryRow", "(*database/sql.Stmt).QueryRowContext",
	"(*database/sql.Rows).Next",

	"(*os/exec.Cmd).CombinedOutput", "(*os/exec.Cmd).Output", "(*os/exec.Cmd).Run", "(*os/exec.Cmd).Wait",
)

func set(names ...string) map[string]bool {
	all := make(map[string]bool, len(names))
	for _, name := range names {
		all[name] = true
	}
	return all
}
