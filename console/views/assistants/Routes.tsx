/** The routes of assistants. */
import { createRoute, lazyRouteComponent } from "@tanstack/react-router"
import { accountRoute } from "#console/app/Root.tsx"

const assistantsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "assistants",
  component: lazyRouteComponent(() => import("./AssistantsView.tsx"), "AssistantsView")
})

export const assistantsRoutes = [assistantsRoute] as const
