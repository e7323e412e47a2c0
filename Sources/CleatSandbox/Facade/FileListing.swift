/// Lists the directories of an area.
package protocol FileListing: DirectoryNames {}
