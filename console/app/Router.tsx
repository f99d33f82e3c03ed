/** All views and their paths. */
import { createRouter } from "@tanstack/react-router"
import { consolePath } from "#console/api/Client.ts"
import { queryClient } from "#console/api/Queries.ts"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { assistantsRoutes } from "#console/views/assistants/Routes.tsx"
import { auditRoutes } from "#console/views/audit/Routes.tsx"
import { filesRoutes } from "#console/views/files/Routes.tsx"
import { homeRoutes } from "#console/views/home/Routes.tsx"
import { keysRoutes } from "#console/views/keys/Routes.tsx"
import { modelsRoutes } from "#console/views/models/Routes.tsx"
import { operateRoutes } from "#console/views/operate/Routes.tsx"
import { requestsRoutes } from "#console/views/requests/Routes.tsx"
import { sessionsRoutes } from "#console/views/sessions/Routes.tsx"
import { signInRoutes } from "#console/views/sign-in/Routes.tsx"
import { usageRoutes } from "#console/views/usage/Routes.tsx"
import { webhooksRoutes } from "#console/views/webhooks/Routes.tsx"
import { ErrorView } from "./ErrorView.tsx"
import { NotFoundView } from "./NotFoundView.tsx"
import { accountRoute, operateRoute, rootRoute, shellRoute } from "./Root.tsx"

const routeTree = rootRoute.addChildren([
  ...signInRoutes,
  shellRoute.addChildren([
    ...sessionsRoutes,
    accountRoute.addChildren([
      ...homeRoutes,
      ...modelsRoutes,
      ...requestsRoutes,
      ...usageRoutes,
      ...webhooksRoutes,
      ...filesRoutes,
      ...keysRoutes,
      ...assistantsRoutes
    ]),
    operateRoute.addChildren([...operateRoutes, ...auditRoutes])
  ])
])

export const router = createRouter({
  routeTree,
  basepath: consolePath,
  context: { queryClient },
  defaultPreload: "intent",
  scrollRestoration: true,
  defaultPendingComponent: Skeleton,
  defaultErrorComponent: ErrorView,
  defaultNotFoundComponent: NotFoundView
})

declare module "@tanstack/react-router" {
  interface Register {
    readonly router: typeof router
  }
}
