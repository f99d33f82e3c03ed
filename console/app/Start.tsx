/** Starts the application. */
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { onSessionEnded } from "#console/api/Client.ts"
import { queryClient } from "#console/api/Queries.ts"
import { sessionQuery } from "#console/api/Session.ts"
import * as Reachability from "./connection/Reachability.ts"
import * as Release from "./connection/Release.ts"
import { router } from "./Router.tsx"

export const start = () => {
  const root = document.getElementById("root")
  if (root === null) return
  // The session is read again, and the guards of the routes lead to the sign-in.
  onSessionEnded(() => {
    void queryClient.invalidateQueries(sessionQuery).then(() => router.invalidate())
  })
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
