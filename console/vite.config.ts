/** Builds the console into `dist/console`, and serves it while it is worked on (`npm run console`). */
import * as path from "node:path"
import { defineConfig } from "vite"
import { notices } from "../bin/Notices.js"

const server = process.env["INFERLOG_URL"] ?? "http://127.0.0.1:8080"

export default defineConfig({
  root: import.meta.dirname,
  // Relative, so that it works below any path of a proxy.
  base: "./",
  publicDir: "public",
  plugins: [notices("The console")],
  build: {
    outDir: path.join(import.meta.dirname, "../dist/console"),
    emptyOutDir: true,
    assetsDir: "assets",
    // The policy allows no `data:` scripts, and pictures of the console are few.
    assetsInlineLimit: 0,
    manifest: true,
    target: ["chrome120", "firefox121", "safari17"],
    reportCompressedSize: false,
    // The first load names its parts itself; browsers that need the polyfill are too old for the console.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // Few files, because each costs a slow network a round trip: what every visit begins with, of which a release mostly leaves
        // the libraries as they are, and what most views use.
        codeSplitting: {
          groups: [
            { name: "libraries", test: /node_modules/, tags: ["$initial"], priority: 2 },
            { name: "start", tags: ["$initial"], priority: 1 },
            { name: "common", minShareCount: 6 }
          ]
        }
      },
      onLog: (level, log, show) => {
        // Directives for servers of React, which the libraries have and a page does not need.
        if (log.code !== "MODULE_LEVEL_DIRECTIVE") show(level, log)
      }
    }
  },
  server: {
    proxy: Object.fromEntries(
      ["/console/api", "/console/session", "/console/sessions"].map((route) => [
        route,
        { target: server, changeOrigin: true, headers: { origin: server } }
      ])
    )
  }
})
