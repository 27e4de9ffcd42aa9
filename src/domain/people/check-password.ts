/** Checks a new password: long enough, and not easy to guess. */
import { Refusal } from '../../platform/refusals.ts'
import { message } from '../messages/message.ts'
import { isCommonPassword } from './common-passwords.ts'
import { passwordLeast, passwordMost } from './password.ts'
import { isEasyToGuess } from './password-strength.ts'

/** `about`: names and addresses of its owner and of the installation. */
export function checkedPassword(password: string, personalTexts: readonly string[]): string {
  const length = [...password].length
  if (length < passwordLeast || length > passwordMost)
    throw new Refusal('invalid_value', {
      detail: message('password_length', { least: passwordLeast, most: passwordMost }),
    })
  if (isEasyToGuess(password, personalTexts, isCommonPassword)) throw new Refusal('password_easy_to_guess')
  return password
}
