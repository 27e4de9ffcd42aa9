/**
 * The test runner follows every promise of its process by an async hook, so that it can name the test in which an error was
 * thrown that nobody caught. An `await` then takes twenty times as long, and a test awaits little else: gateway, clients and
 * driver of the database all run in its process. Nothing else needs the hook once all tests are known. An error that
 * nobody caught still fails the run, without a test's name.
 *
 * The runner's hook is the first that is enabled, when a file first asks it for something: clean-up.ts loads this one before.
 */
import { type AsyncHook, createHook } from 'node:async_hooks'

const hooks = Object.getPrototypeOf(createHook({})) as AsyncHook
const { enable } = hooks
let ofRunner: AsyncHook | undefined
hooks.enable = function (this: AsyncHook) {
  hooks.enable = enable
  ofRunner = this
  return enable.call(this)
}

export const stopFollowing = (): void => void ofRunner?.disable()
