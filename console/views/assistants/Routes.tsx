/** The routes of assistants. */
import { createRoute } from "@tanstack/react-router"
import { lazyView } from "#console/app/LazyView.ts"
import { accountRoute } from "#console/app/Root.tsx"

const assistantsRoute = createRoute({
  getParentRoute: () => accountRoute,
  path: "assistants",
  component: lazyView(() => import("./AssistantsView.tsx"), "AssistantsView")
})

export const assistantsRoutes = [assistantsRoute] as const
