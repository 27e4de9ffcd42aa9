/**
 * What a shell offers while a command is typed, out of the table that the help is made of: commands, their options, and
 * the choices of an option where its usage lists them. The patterns are written the same in bash and zsh.
 */
import { type Command, optionsOf } from './command.ts'

export const shells = ['bash', 'zsh'] as const
type Shell = (typeof shells)[number]

type Table = Record<string, Pick<Command, 'usage' | 'options'>>

export const completionScript = (shell: Shell, commands: Table): string => scripts[shell](casesOf(commands))

/** Before the current word stands `$line`. Where nothing is offered, a word of the user's own is due: file names are. */
const scripts: Record<Shell, (cases: string) => string> = {
  bash: (cases) => `# For bash: eval "$(inlet completion bash)"
_inlet() {
  local word="\${COMP_WORDS[COMP_CWORD]}" line="\${COMP_WORDS[*]:1:COMP_CWORD-1}" offered=
  case "$line" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$word"))
}
complete -o bashdefault -o default -F _inlet inlet`,
  zsh: (cases) => `#compdef inlet
# For zsh, after compinit: eval "$(inlet completion zsh)"
_inlet() {
  local line="\${(j: :)words[2,CURRENT-1]}" offered=
  case "$line" in
${cases}
  esac
  compadd -- \${=offered} || _files
}
compdef _inlet inlet`,
}

function casesOf(commands: Table): string {
  const names = Object.keys(commands)
  const groups = Map.groupBy(names, (name) => name.split(' ')[0]!)
  const cases: [pattern: string, offered: string[]][] = [
    ["''", [...groups.keys(), 'help']],
    ...names.flatMap((name): [string, string[]][] => {
      const { usage } = commands[name]!
      const options = Object.keys(optionsOf(commands[name]!))
      const chosen = options.map((option) => [option, choicesIn(usage, option)] as const)
      return [
        ...chosen
          .filter(([, choices]) => choices.length > 0)
          .map(([option, choices]): [string, string[]] => [`'${name} '*'--${option}'`, [...choices]]),
        [
          `'${name}'|'${name} '*`,
          [...firstWords(usage, name), ...[...options, 'json', 'help'].map((option) => `--${option}`)],
        ],
      ]
    }),
    ...[...groups]
      .filter(([group]) => !names.includes(group))
      .map(([group, full]): [string, string[]] => [`'${group}'`, full.map((name) => name.split(' ')[1]!)]),
  ]
  return cases.map(([pattern, offered]) => `    ${pattern}) offered='${offered.join(' ')}' ;;`).join('\n')
}

/** `inlet completion bash|zsh`: a word that is one of a few. */
const firstWords = (usage: string, name: string): string[] =>
  new RegExp(`^inlet ${name} ([a-z]+(?:\\|[a-z]+)+)`).exec(usage)?.[1]?.split('|') ?? []

/** `--mode live|test` lists its choices; `--since TIME` and `--limit 1..200` have none to offer. */
function choicesIn(usage: string, option: string): string[] {
  const listed = new RegExp(`--${option} ([\\w.-]+(?:\\|[\\w.-]+)+)`).exec(usage)?.[1] ?? ''
  return listed.split('|').filter((choice) => choice !== '' && choice !== 'N')
}
