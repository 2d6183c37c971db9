// A button that calls: go run click-to-call.go, in this folder or in that of the project
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
)

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func call(w http.ResponseWriter, r *http.Request) {
	wanted, _ := json.Marshal(map[string]any{
		"extension": setting("EXTENSION", "1000"),
		"called":    r.FormValue("called"),
		"metadata":  map[string]string{"source": "click-to-call"},
	})
	request, _ := http.NewRequest("POST", os.Getenv("API")+"/calls", bytes.NewReader(wanted))
	request.Header.Set("Authorization", os.Getenv("TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

func main() {
	_, here, _, _ := runtime.Caller(0)
	page := filepath.Join(filepath.Dir(here), "..", "click-to-call.html")
	http.HandleFunc("POST /call", call)
	http.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, page) })
	fmt.Fprintln(os.Stderr, http.ListenAndServe(":"+setting("PORT", "3000"), nil))
}
