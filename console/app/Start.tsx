/** Starts the application. */
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { queryClient } from "#console/api/Queries.ts"
import * as Reachability from "./connection/Reachability.ts"
import * as Release from "./connection/Release.ts"
import * as SessionChanges from "./connection/SessionChanges.ts"
import { router } from "./Router.tsx"

export const start = () => {
  const root = document.getElementById("root")
  if (root === null) return
  SessionChanges.watch(() => router.invalidate())
  Reachability.watch()
  Release.watch()
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>
  )
}
