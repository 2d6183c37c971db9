import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context';

/** Adds one or several commands to the program, or to a command. */
export type AddCommands = (parent: Command, context: Context) => void;

/** The options of the command and those of the program. */
export const optionsOf = <T extends object>(command: Command): T & GlobalOptions => command.optsWithGlobals();
